import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import type { Finding } from '@standin/base/findings.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sandboxObstacle } from '../../../platforms/browser/sandbox.ts'
import {
  checkClock,
  checkDisk,
  checkMemory,
  checkNode,
  checkProcessors,
  checkSharedMemory,
} from '../../../src/cli/doctor/machine.ts'
import { checkNetwork } from '../../../src/cli/doctor/network.ts'
import { checkSandbox } from '../../../src/cli/doctor/programs.ts'
import { doctor } from '../../../src/cli/doctor.ts'

/** A program that runs on without a word. Fakes find nothing in their PATH but each other. */
const HANGS = 'exec /bin/sleep 600'

/** Fakes that do what the real programs do, as far as the doctor looks. */
const FIT_PROGRAMS: Readonly<Record<string, string>> = {
  chromium: `case "$*" in
    --version) echo 'Chromium 156.0.8078.79 built on Debian' ;;
    *) echo '<html><body><p>standin-doctor</p></body></html>' ;;
  esac`,
  ffmpeg: `case "$2" in
    -version) echo 'ffmpeg version 5.1.9-0+deb12u1 Copyright' ;;
    -devices) echo ' D  x11grab         X11 screen capture'; echo ' DE pulse           Pulse audio output' ;;
    -encoders) echo ' V....D libx264              H.264'; echo ' A....D aac                  AAC' ;;
  esac`,
  ffprobe: 'true',
  Xvfb: `echo 7; ${HANGS}`,
  pulseaudio: `for word in "$@"; do last=$word; done
    : > "\${last##*socket=}"; ${HANGS}`,
  setpriv: 'shift 3; exec "$@"',
  'fc-list': 'echo Some Font',
}

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'standin-doctor-test-'))
})

afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
})

interface Answer {
  exitCode: number
  text: string
  findings: Finding[]
}

/** Programs are the fit ones with these on top; null takes one away. */
async function examineWith(
  changes: Record<string, string | null>,
  options: { json?: boolean; deadlineMs?: number; environment?: Record<string, string> } = {},
): Promise<Answer> {
  const programs = join(folder, 'programs')
  await mkdir(programs)
  for (const [name, script] of Object.entries({ ...FIT_PROGRAMS, ...changes })) {
    if (script === null) continue
    await writeFile(join(programs, name), `#!/bin/sh\n${script}\n`)
    await chmod(join(programs, name), 0o755)
  }
  return ask(programs, options)
}

async function ask(
  searchPath: string,
  options: { json?: boolean; deadlineMs?: number; environment?: Record<string, string> } = {},
): Promise<Answer> {
  let text = ''
  const output = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk)
      done()
    },
  })
  const network = { resolve: async () => '192.0.2.1', reach: async () => {} }
  const exitCode = await doctor({ output, environment: {}, searchPath, network, json: true, ...options })
  return { exitCode, text, findings: options.json === false ? [] : JSON.parse(text).findings }
}

const of = (answer: Answer, part: string) => answer.findings.find((finding) => finding.part === part)

describe('sandbox', () => {
  test('root and forbidden user namespaces are warnings with a cure each', async () => {
    expect(checkSandbox(null, false)).toMatchObject({ part: 'Sandbox', verdict: 'fit' })
    const asRoot = await sandboxObstacle(0)
    expect(checkSandbox(asRoot, true)).toEqual({
      part: 'Sandbox',
      verdict: 'warning',
      found: 'Chromium runs without its own sandbox: the bot runs as root',
      cure: 'Run the bot as an ordinary user.',
    })
    expect(checkSandbox('user namespaces are not allowed here', false).cure).toContain('docker/seccomp.json')
  })

  test('the doctor reports the sandbox in a separate finding', async () => {
    const { findings } = await examineWith({})
    expect(findings.filter(({ part }) => part === 'Sandbox')).toHaveLength(1)
  })
})

describe('programs', () => {
  test('a machine with everything is fit, and the exit code is 0', async () => {
    const answer = await examineWith({})
    const programs = answer.findings.slice(0, 7).map(({ part, verdict }) => `${part} ${verdict}`)
    expect(programs).toEqual(
      ['Node', 'Chromium', 'ffmpeg', 'Xvfb', 'PulseAudio', 'setpriv', 'Fonts'].map((part) => `${part} fit`),
    )
    expect(answer.exitCode).toBe(0)
    expect(JSON.parse(answer.text).fit).toBe(true)
  })

  test('an empty folder of programs: each is named with the package that brings it, and the exit code is 1', async () => {
    const answer = await ask(folder)
    expect(answer.exitCode).toBe(1)
    const cures = {
      Chromium: 'chromium',
      ffmpeg: 'ffmpeg',
      Xvfb: 'xvfb',
      PulseAudio: 'pulseaudio',
      setpriv: 'util-linux',
    }
    for (const [part, debianPackage] of Object.entries(cures)) {
      expect(of(answer, part)).toMatchObject({
        verdict: 'unfit',
        found: expect.stringContaining(`in ${folder}`),
        cure: `apt-get install -y --no-install-recommends ${debianPackage}`,
      })
    }
    expect(of(answer, 'Fonts')).toMatchObject({ verdict: 'warning', cure: expect.stringContaining('fontconfig') })
  })

  test('a missing font is a warning that names the scripts and the package; the machine stays fit', async () => {
    const answer = await examineWith({ 'fc-list': 'case "$1" in *4e2d*) ;; *) echo Some Font ;; esac' })
    expect(of(answer, 'Fonts')).toMatchObject({
      verdict: 'warning',
      found: expect.stringContaining('Chinese, Japanese, Korean'),
      cure: expect.stringMatching(/ fonts-droid-fallback$/),
    })
    expect(answer.exitCode).toBe(0)
  })

  test.each([
    [
      'a Chromium that crashes on start',
      'Chromium',
      { chromium: 'echo no display >&2; exit 5' },
      'exit code 5: no display',
    ],
    [
      'a Chromium that tells its version and then crashes',
      'Chromium',
      { chromium: '[ "$1" = --version ] && echo Chromium 130.0.1.2 && exit; kill -SEGV $$' },
      'version 130.0.1.2 does not open a page: SIGSEGV',
    ],
    ['a Chromium of the past', 'Chromium', { chromium: 'echo Chromium 90.0.4430.212' }, 'needed: 120 or newer'],
    ['a Chromium that is no program', 'Chromium', { chromium: '\u0001\u0002' }, 'does not print its version'],
    ['an ffmpeg without ffprobe', 'ffmpeg', { ffprobe: null }, 'there is no ffprobe'],
    ['an ffmpeg of the past', 'ffmpeg', { ffmpeg: 'echo ffmpeg version 4.3.8-0+deb11u1' }, 'version 4.3; needed: 5.1'],
    [
      'an ffmpeg without H.264 and without screens',
      'ffmpeg',
      { ffmpeg: (FIT_PROGRAMS.ffmpeg ?? '').replace('libx264', 'libx264rgb').replace('x11grab', 'kmsgrab') },
      'built without x11grab, libx264',
    ],
    [
      'an Xvfb that cannot make its socket',
      'Xvfb',
      { Xvfb: 'echo cannot listen >&2; exit 1' },
      'exit code 1: cannot listen',
    ],
    ['a Pulse that ends at once', 'PulseAudio', { pulseaudio: 'exit 0' }, 'does not open a sink: exit code 0'],
    ['a setpriv that is not allowed', 'setpriv', { setpriv: 'exit 127' }, 'exit code 127'],
  ])('%s is unfit', async (_name, part, changes: Record<string, string | null>, found) => {
    const answer = await examineWith(changes)
    expect(of(answer, part)).toMatchObject({ verdict: 'unfit', found: expect.stringContaining(found) })
    expect(of(answer, part)?.cure).toMatch(/^apt-get install/)
    expect(answer.findings.filter(({ verdict }) => verdict === 'unfit')).toHaveLength(1)
    expect(answer.exitCode).toBe(1)
  })

  test('programs that hang are killed with their children and called unfit', async () => {
    const pids = join(folder, 'pids')
    const hang = `/bin/sleep 600 & echo $! >> ${pids}; wait`
    const changes = { chromium: hang, Xvfb: hang, pulseaudio: `trap '' TERM; ${hang}` }
    const answer = await examineWith(changes, { deadlineMs: 3_000 })
    expect(of(answer, 'Chromium')?.found).toContain('does not come to an end')
    expect(of(answer, 'Xvfb')?.found).toContain('not ready in time')
    expect(of(answer, 'PulseAudio')?.found).toContain('not ready in time')
    const started = (await readFile(pids, 'utf8')).trim().split('\n').map(Number)
    expect(started).toHaveLength(3)
    for (const pid of started) await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false)
  })

  test('a browser named by STANDIN_CHROMIUM is the one that is examined', async () => {
    const environment = { STANDIN_CHROMIUM: join(folder, 'no-such-browser') }
    const answer = await examineWith({}, { environment })
    expect(of(answer, 'Chromium')).toMatchObject({
      verdict: 'unfit',
      found: `there is no ${environment.STANDIN_CHROMIUM}`,
      cure: expect.stringContaining('STANDIN_CHROMIUM'),
    })
  })

  test('what a program prints cannot steer the terminal', async () => {
    const answer = await examineWith({ Xvfb: 'printf "\\033[2Jgone\\n"; exit 1' }, { json: false })
    expect(answer.text).not.toContain('\u001b')
    expect(answer.text).toContain('✗ Xvfb')
    expect(answer.text).toContain('A bot cannot run here yet: Xvfb.')
  })
})

/** An exited process that its parent has not reaped (a bare container has no init) counts as dead too. */
async function isAlive(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return /\) [^ZX]/.test(stat)
}

describe('the machine', () => {
  test.each([
    ['v18.20.4', 'unfit'],
    ['v22.11.0', 'unfit'],
    ['v22.12.0', 'fit'],
    ['v24.21.0', 'fit'],
  ])('Node %s is %s', (version, verdict) => {
    expect(checkNode(version).verdict).toBe(verdict)
  })

  test.each([
    [400e6, 'unfit'],
    [1e9, 'warning'],
    [4e9, 'fit'],
  ])('%d bytes of memory are %s', (bytes, verdict) => {
    expect(checkMemory(bytes).verdict).toBe(verdict)
  })

  test('one processor is a warning', () => {
    expect([checkProcessors(1).verdict, checkProcessors(2).verdict]).toEqual(['warning', 'fit'])
  })

  test('shared memory that is not there is a warning with the cure for containers', async () => {
    expect(await checkSharedMemory(join(folder, 'shm'))).toMatchObject({
      verdict: 'warning',
      found: expect.stringContaining('ENOENT'),
      cure: expect.stringContaining('--shm-size'),
    })
  })

  test('the disk of a folder that does not exist yet is the disk where it would be made', async () => {
    const [there, later] = [
      await checkDisk('Recordings', folder),
      await checkDisk('Recordings', join(folder, 'a', 'b')),
    ]
    expect(later.verdict).toBe(there.verdict)
    expect(later.found).toContain(join(folder, 'a', 'b'))
  })

  test('a folder that is no folder is unfit', async () => {
    await writeFile(join(folder, 'file'), '')
    expect(await checkDisk('Recordings', join(folder, 'file', 'a'))).toMatchObject({
      verdict: 'unfit',
      found: expect.stringContaining('ENOTDIR'),
    })
  })

  test('a clock in the past is unfit', () => {
    expect([checkClock(0).verdict, checkClock(Date.UTC(2027, 1)).verdict]).toEqual(['unfit', 'fit'])
  })
})

describe('the network', () => {
  test.each([
    [
      'no DNS',
      { resolve: () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' })), reach: async () => {} },
    ],
    [
      'no connection',
      { resolve: async () => '192.0.2.1', reach: () => Promise.reject(new Error('no answer in time')) },
    ],
  ])('%s is a warning, since the demo does without', async (_name, network) => {
    expect(await checkNetwork(network)).toMatchObject({ verdict: 'warning', cure: expect.stringContaining('demo') })
  })
})
