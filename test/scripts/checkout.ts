/** A checkout of scripts alone, on a machine whose every program is a fake that writes down how it was called. */
import { spawn } from 'node:child_process'
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** The programs of the real machine that the scripts may use. */
const REAL_TOOLS =
  'sh base64 cat cmp cp chmod dirname env find flock grep gzip head id ln mkdir mv nice od printf pwd readlink rm script sed sha512sum sleep tail tar tee touch tr true uname'

/** Installs as npm does. */
export const NPM = `[ "$1" != ci ] || rm -rf node_modules
  mkdir -p node_modules/.bin
  cp "$FAKES/tool" node_modules/.bin/node
  cp "$FAKES/tool" node_modules/.bin/tsc
  case "$*" in *' -w '*) ;; *) mkdir -p node_modules/@standin/control-plane ;; esac
  touch node_modules/.package-lock.json`

/** Leaves what the fetched model of speech leaves. */
const SPEECH = `src/cli/index.ts) mkdir -p models/speech-en; touch models/speech-en/tokens.txt ;;`

/** Leaves what a build leaves; as a part of a program that does other things too. */
export const BUILD = `scripts/build.ts)
    for program in src/cli control-plane/main/cli bot; do mkdir -p "dist/$program"; touch "dist/$program/index.js"; done
    mkdir -p packages/client; touch packages/client/v2.ts; case "$2" in --bot) echo bot ;; *) echo all ;; esac > dist/.built ;;`

const FAKES: Readonly<Record<string, string>> = {
  // Answers as dpkg-query does for -f '\${Package}=\${db:Status-Status} '.
  'dpkg-query': `for word in "$@"; do
    grep -qx "$word" "$STATE/installed" && printf '%s=installed ' "$word"
  done; exit 1`,
  'apt-get': `case "$*" in
    *install*) for word in "$@"; do case $word in -*|*=*|install) ;; *) echo "$word" >> "$STATE/installed" ;; esac; done ;;
  esac`,
  npm: NPM,
  // The machine's own Node.js, new enough: it answers every question with success.
  node: 'true',
  id: 'echo 0',
  useradd: '',
}

interface Run {
  exitCode: number | null
  text: string
}

export interface Checkout {
  folder: string
  /** Lines such as `apt-get update`, in order, without mere questions. */
  calls(): Promise<string[]>
  /** Replaces or adds a program; null takes it away. */
  fake(name: string, script: string | null): Promise<void>
  run(script: string, args?: readonly string[], options?: { cwd?: string; env?: Record<string, string> }): Promise<Run>
  write(path: string, content: string, mode?: number): Promise<void>
  /** Makes a file or folder look changed just now: a second after everything else. */
  touchLater(path: string): Promise<void>
  remove(): Promise<void>
}

export async function makeCheckout(): Promise<Checkout> {
  const base = await mkdtemp(join(tmpdir(), 'standin-checkout-'))
  const [folder, fakes, state] = [join(base, 'a folder with spaces'), join(base, 'bin'), join(base, 'state')]
  for (const place of [folder, fakes, state]) await mkdir(place)
  await cp(join(root, 'scripts'), join(folder, 'scripts'), { recursive: true })
  await cp(join(root, 'bin'), join(folder, 'bin'), { recursive: true })
  for (const place of ['packages/wire', 'packages/mock', 'control-plane', 'src', 'platforms', 'recorder'])
    await mkdir(join(folder, place), { recursive: true })
  for (const file of ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'])
    await writeFile(join(folder, file), '{}')
  await writeFile(join(state, 'installed'), '')
  for (const tool of REAL_TOOLS.split(' ')) {
    const place = await firstOf([`/usr/bin/${tool}`, `/bin/${tool}`])
    if (place !== null) await symlink(place, join(fakes, tool))
  }

  async function fake(name: string, script: string | null): Promise<void> {
    const file = join(fakes, name)
    await rm(file, { force: true })
    if (script === null) return
    // A call is one write, since programs may run side by side.
    await writeFile(
      file,
      `#!/bin/sh\nprintf '%s\\n' "$(printf '%s' "\${0##*/} $*" | tr '\\n' ' ')" >> "$STATE/calls"\n${script}\n`,
    )
    await chmod(file, 0o755)
  }
  for (const [name, script] of Object.entries(FAKES)) await fake(name, script)
  // Stands for every program that npm brings.
  await fake('tool', `case "$1" in ${BUILD} ${SPEECH} esac`)

  return {
    folder,
    fake,
    async calls() {
      const text = await readFile(join(state, 'calls'), 'utf8').catch(() => '')
      return text.split('\n').filter((line) => line !== '' && !/^(id|dpkg-query) |^node -e /.test(line))
    },
    run: (script, args = [], options = {}) =>
      run(['sh', join(folder, script), ...args], {
        cwd: options.cwd ?? folder,
        // CI consents to Debian packages.
        env: { CI: 'true', PATH: fakes, STATE: state, FAKES: fakes, HOME: base, ...options.env },
      }),
    async write(path, content, mode) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), content, { mode })
    },
    async touchLater(path) {
      const later = new Date(Date.now() + 1_000)
      await utimes(join(folder, path), later, later)
    },
    remove: () => rm(base, { recursive: true, force: true }),
  }
}

async function firstOf(places: readonly string[]): Promise<string | null> {
  for (const place of places) if (await readFile(place).catch(() => null)) return place
  return null
}

function run(command: readonly string[], options: { cwd: string; env: Record<string, string> }): Promise<Run> {
  const [program = '', ...args] = command
  return new Promise((resolve, reject) => {
    const child = spawn(`/bin/${program}`, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    let text = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (piece: string) => {
        text += piece
      })
    }
    child.on('error', reject)
    child.on('close', (exitCode) => resolve({ exitCode, text }))
  })
}
