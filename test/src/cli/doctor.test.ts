import { writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { CHILD_PATH } from '@standin/wire/process/child-path.ts'
import type { Finding } from '@standin/wire/text/findings.ts'
import { describe, expect, test } from 'vitest'
import { checkNetwork } from '../../../src/cli/doctor/network.ts'
import { doctor } from '../../../src/cli/doctor.ts'
import { checkSandbox } from '../../../src/machine/programs.ts'
import {
  checkClock,
  checkDisk,
  checkMemory,
  checkNode,
  checkProcessors,
  checkSharedMemory,
} from '../../../src/machine/resources.ts'
import type { Programs, Trial } from '../../../src/machine/try-program.ts'
import type { BotTrials } from '../../../src/wiring/trials.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'

/** A program, as far as the doctor looks at it. */
type Fake = (args: readonly string[]) => Partial<Trial>
type Fakes = Readonly<Record<string, Fake | null>>

const ENCODERS = ' V....D libx264              H.264\n A....D aac                  AAC\n'
const DEVICES = ' D  x11grab         X11 screen capture\n DE pulse           Pulse audio output\n'
const ffmpeg = (version: string, devices = DEVICES, encoders = ENCODERS): Fake => {
  const answers: Record<string, string> = {
    '-version': `ffmpeg version ${version}`,
    '-devices': devices,
    '-encoders': encoders,
  }
  return ([, option]) => ({ output: answers[option!]! })
}
const says =
  (output: string, exitCode = 0): Fake =>
  () => ({ output, exitCode })

const FIT_PROGRAMS: Fakes = {
  chromium: says('Chromium 156.0.8078.79 built on Debian'),
  ffmpeg: ffmpeg('5.1.9-0+deb12u1'),
  ffprobe: says(''),
  Xvfb: says(''),
  pulseaudio: says(''),
  setpriv: says(`${process.version}\n`),
  'fc-list': says('Some Font'),
}

const USER = { name: 'standin-bot', uid: 999, gid: 999 }
const folder = temporaryFolder()

function programsOf(fakes: Fakes): Programs {
  return {
    find: async (name, searchPath) => (fakes[name] ? `${searchPath}/${name}` : null),
    async run({ command, args, until }) {
      const trial = { ...{ exitCode: 0, signal: null, output: '', isLate: false }, ...fakes[basename(command)]!(args) }
      return { ...trial, isReached: until?.(trial.output) ?? false }
    },
    sandboxObstacle: async () => null,
    botUser: async () => ({ user: USER, weakness: null }),
  }
}

type Trials = Partial<Omit<BotTrials, 'close'>>
const fit = async () => null

/** Programs are the fit ones with these on top; null takes one away. */
async function examineWith(
  changes: Fakes,
  given: { json?: boolean; environment?: object; fit?: Fakes; trials?: Trials } = {},
) {
  const { json = true, environment = {} } = given
  const trials = () => ({ openSound: fit, openDisplay: fit, openBrowser: fit, close: async () => {}, ...given.trials })
  const output = new PassThrough()
  const network = { resolve: async () => '192.0.2.1', reach: async () => {} }
  const programs = programsOf({ ...(given.fit ?? FIT_PROGRAMS), ...changes })
  const exitCode = await doctor({ output, environment: { ...environment }, programs, trials, network, json })
  const text = String(output.read())
  const findings: Finding[] = json ? JSON.parse(text).findings : []
  return { exitCode, text, findings, of: (part: string) => findings.find((finding) => finding.part === part) }
}

test.each([
  [{ user: USER, weakness: null }, 'fit', 'Chromium runs in its own sandbox, and bots as standin-bot'],
  [{ user: null, weakness: null }, 'fit', 'Chromium runs in its own sandbox'],
  [{ user: null, weakness: { fault: 'Bots run as root', cure: 'Make a user' } }, 'warning', 'Bots run as root'],
])('who bots run as: %j', async (choice, verdict, found) => {
  expect(await checkSandbox(Promise.resolve(choice))).toMatchObject({ part: 'Sandbox', verdict, found })
})

test('a user that cannot be used, as the operator named it, is unfit', async () => {
  const refused = checkSandbox(Promise.reject(new Error('STANDIN_BOT_USER: this machine has no user x.')))
  expect(await refused).toMatchObject({ verdict: 'unfit', cure: 'Correct STANDIN_BOT_USER.' })
})

test('speech is named with its model, or with the command that fetches it', async () => {
  const speechIn = async (environment: object) => (await examineWith({}, { environment })).of('Speech')
  expect(await speechIn({ STANDIN_TRANSCRIPTION_URL: 'https://x' })).toMatchObject({ verdict: 'fit' })
  const models = temporaryFolder()
  expect(await speechIn({ STANDIN_SPEECH_MODEL: models })).toMatchObject({
    ...{ verdict: 'warning', cure: expect.stringContaining('standin speech install') },
  })
  for (const file of ['encoder.onnx', 'decoder_merged.onnx', 'tokens.txt']) await writeFile(join(models, file), '')
  expect(await speechIn({ STANDIN_SPEECH_MODEL: models })).toMatchObject({
    verdict: 'fit',
    found: expect.stringMatching(/^Moonshine, English/),
  })
})

describe('programs', () => {
  test('a machine with everything is fit, and the exit code is 0', async () => {
    const answer = await examineWith({})
    // The model of speech may be missing where the test runs.
    const others = answer.findings.filter(({ part }) => part !== 'Speech')
    const programs = others.slice(-7).map(({ part, verdict }) => `${part} ${verdict}`)
    const parts = ['setpriv', 'ffmpeg', 'PulseAudio', 'Xvfb', 'Chromium', 'Fonts', 'Network']
    expect(programs).toEqual(parts.map((part) => `${part} fit`))
    expect(answer.findings.filter(({ part }) => part === 'Sandbox')).toHaveLength(1)
    expect(answer.exitCode).toBe(0)
    expect(JSON.parse(answer.text).fit).toBe(true)
  })

  test('a machine without programs: each is named with the package that brings it, and the exit code is 1', async () => {
    const answer = await examineWith({}, { fit: {} })
    expect(answer.exitCode).toBe(1)
    const packages = { ffmpeg: 'ffmpeg', Chromium: 'chromium', PulseAudio: 'pulseaudio' }
    for (const [part, debianPackage] of Object.entries({ ...packages, setpriv: 'util-linux' }))
      expect(answer.of(part)).toMatchObject({
        verdict: 'unfit',
        found: expect.stringContaining(`in ${CHILD_PATH}`),
        cure: `apt-get install -y --no-install-recommends ${debianPackage}`,
      })
    // Bots can do without.
    for (const [part, debianPackage] of Object.entries({ Fonts: 'fontconfig', Xvfb: 'xvfb' }))
      expect(answer.of(part)).toMatchObject({ verdict: 'warning', cure: expect.stringContaining(debianPackage) })
  })

  test('a missing font is a warning that names the scripts and the package; the machine stays fit', async () => {
    const answer = await examineWith({
      'fc-list': ([pattern]) => ({ output: pattern!.includes('4e2d') ? '' : 'Font' }),
    })
    expect(answer.of('Fonts')).toMatchObject({
      verdict: 'warning',
      found: expect.stringContaining('Chinese, Japanese, Korean'),
      cure: expect.stringMatching(/ fonts-droid-fallback$/),
    })
    expect(answer.exitCode).toBe(0)
  })

  test.each<[string, string, Fakes, string]>([
    ['a Chromium that crashes on start', 'Chromium', { chromium: says('no display\n', 5) }, 'exit code 5: no display'],
    ['a Chromium of the past', 'Chromium', { chromium: says('Chromium 90.0.4430.212') }, 'needed: 120 or newer'],
    ['a Chromium that is no program', 'Chromium', { chromium: says('not found', 127) }, 'does not print its version'],
    ['a Chromium that hangs', 'Chromium', { chromium: () => ({ isLate: true }) }, 'it does not come to an end'],
    ['an ffmpeg without ffprobe', 'ffmpeg', { ffprobe: null }, 'there is no ffprobe'],
    ['an ffmpeg of the past', 'ffmpeg', { ffmpeg: ffmpeg('4.3.8-0+deb11u1') }, 'version 4.3; needed: 5.1'],
    [
      'an ffmpeg without H.264 and without screens',
      'ffmpeg',
      { ffmpeg: ffmpeg('5.1.9', DEVICES.replace('x11', 'kms'), ENCODERS.replace('x264', 'x264rgb')) },
      'built without x11grab, libx264',
    ],
    ['a setpriv that is not allowed', 'setpriv', { setpriv: says('', 127) }, 'exit code 127'],
  ])('%s is unfit', async (_name, part, changes, found) => {
    const answer = await examineWith(changes)
    expect(answer.of(part)).toMatchObject({ verdict: 'unfit', found: expect.stringContaining(found) })
    expect(answer.of(part)?.cure).toMatch(/^apt-get install/)
    expect(answer.findings.filter(({ verdict }) => verdict === 'unfit')).toHaveLength(1)
    expect(answer.exitCode).toBe(1)
  })

  test.each([
    ['openBrowser', 'Chromium', 'version 156.0.8078.79 does not open a page: why'],
    ['openSound', 'PulseAudio', 'does not start: why'],
  ] as const)('what %s of a bot does not do is unfit', async (trial, part, found) => {
    const answer = await examineWith({}, { trials: { [trial]: async () => 'why' } })
    expect(answer.of(part)).toMatchObject({ verdict: 'unfit', found, cure: expect.stringMatching(/^apt-get install/) })
    expect(answer.findings.filter(({ verdict }) => verdict === 'unfit')).toHaveLength(1)
  })

  test('a machine without a display is fit for pages that paint frames', async () => {
    const answer = await examineWith({}, { trials: { openDisplay: async () => 'why' } })
    expect(answer.of('Xvfb')).toMatchObject({ verdict: 'warning', found: expect.stringMatching(/why; a page that/) })
    expect(answer.exitCode).toBe(0)
  })

  test('what starts with a part that is missing is not blamed for it', async () => {
    const answer = await examineWith({ setpriv: null }, { trials: { openSound: async () => 'no setpriv' } })
    expect(answer.of('PulseAudio')).toMatchObject({ verdict: 'warning', cure: expect.stringContaining('util-linux') })
    expect(answer.of('Xvfb')?.verdict).toBe('warning')
  })

  test('a browser named by STANDIN_CHROMIUM is the one that is examined', async () => {
    const environment = { STANDIN_CHROMIUM: join(folder, 'no-such-browser') }
    const answer = await examineWith({}, { environment })
    expect(answer.of('Chromium')).toMatchObject({
      verdict: 'unfit',
      found: `there is no ${environment.STANDIN_CHROMIUM}`,
      cure: expect.stringContaining('STANDIN_CHROMIUM'),
    })
  })

  test('what a program prints cannot steer the terminal', async () => {
    const answer = await examineWith({}, { json: false, trials: { openSound: async () => '\u001b[2Jgone\n' } })
    expect(answer.text).not.toContain('\u001b')
    expect(answer.text).toContain('✗ PulseAudio')
    expect(answer.text).toContain('A bot cannot run here yet: PulseAudio.')
  })
})

describe('the machine', () => {
  test.each([
    ['Node 18', checkNode('v18.20.4'), 'unfit'],
    ['the last Node before the first that fits', checkNode('v22.11.0'), 'unfit'],
    ['the first Node that fits', checkNode('v22.12.0'), 'fit'],
    ['Node 24', checkNode('v24.21.0'), 'fit'],
    ['400 MB of memory', checkMemory(400e6), 'unfit'],
    ['a gigabyte of memory', checkMemory(1e9), 'warning'],
    ['four of them', checkMemory(4e9), 'fit'],
    ['one processor', checkProcessors(1), 'warning'],
    ['two of them', checkProcessors(2), 'fit'],
    ['a clock in the past', checkClock(0), 'unfit'],
    ['a clock of today', checkClock(Date.UTC(2027, 1)), 'fit'],
  ])('%s', (_what, { verdict }, expected) => expect(verdict).toBe(expected))

  test('shared memory that is not there is a warning with the cure for containers', async () => {
    expect(await checkSharedMemory(join(folder, 'shm'))).toMatchObject({
      verdict: 'warning',
      found: expect.stringContaining('ENOENT'),
      cure: expect.stringContaining('--shm-size'),
    })
  })

  test('the disk of a folder that does not exist yet is the disk where it would be made', async () => {
    const there = await checkDisk('Recordings', folder)
    const later = await checkDisk('Recordings', join(folder, 'a', 'b'))
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
})

describe('the network', () => {
  const resolve = async () => '192.0.2.1'
  const away = () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' }))

  test.each([
    ['no DNS', { resolve: away, reach: async () => {} }],
    ['no connection', { resolve, reach: away }],
  ])('%s is a warning, since the demo does without', async (_name, network) => {
    expect(await checkNetwork(network)).toMatchObject({ verdict: 'warning', cure: expect.stringContaining('demo') })
  })
})
