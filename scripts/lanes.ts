/**
 * Which of the slower lanes a change can break: `node scripts/lanes.ts` prints a line for each lane to run, `<lane>` or
 * `<lane> <paths of tests>`, for what changed since the commit in `.ci/green`. The lanes of `npm test` always run.
 */
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { changedSince, git } from './changes.ts'

export type Lane = 'drivers' | 'bots'

/** A whole lane, or the tests below these paths. */
type Needs = Partial<Record<Lane, 'all' | readonly string[]>>

const NONE: Needs = {}
const ALL: Needs = { drivers: 'all', bots: 'all' }
const WHOLE_BOTS = 'test/end-to-end'

/** Whole bots are tried on Google Meet, and once on each other platform. */
const platform = (name: string, ...suites: string[]): Needs => ({
  drivers: [`test/platforms/${name}/`, ...suites.map((suite) => `test/platforms/conformance/${suite}.`)],
  bots: [name === 'google-meet' ? WHOLE_BOTS : `${WHOLE_BOTS}/platforms`, 'test/diarization'],
})

/** The first that a path begins with counts, with or without `test/` before it. A path without a row needs all lanes. */
export const ROOMS: readonly (readonly [string, Needs])[] = [
  ...['google-meet', 'microsoft-teams', 'jitsi'].flatMap((name) =>
    ['platforms', 'packages/mock', 'platforms/conformance'].map(
      (place) => [`${place}/${name}`, platform(name, name)] as const,
    ),
  ),
  ...['platforms/zoom', 'packages/mock/zoom/', 'platforms/conformance/zoom'].map(
    (place) => [place, platform('zoom', 'zoom', 'zoom-sdk')] as const,
  ),
  ['packages/mock/calendars', { bots: ['test/control-plane'] }],
  ['packages/mock/zoom-oauth', { bots: ['test/control-plane'] }],
  ['control-plane/dashboard', { drivers: ['test/control-plane'], bots: ['test/control-plane'] }],
  [
    'control-plane',
    { drivers: ['test/control-plane'], bots: ['test/control-plane', 'test/docs', 'test/packages/client'] },
  ],
  ['recorder', { bots: ['test/recorder', WHOLE_BOTS] }],
  ['src/storage', { bots: ['test/src/storage', 'test/recorder', WHOLE_BOTS] }],
  ['src/streaming', { bots: ['test/src/streaming', WHOLE_BOTS] }],
  ['src/transcription', { bots: ['test/src/transcription', WHOLE_BOTS] }],
  // The model is not in CI; whole bots use another engine in one file.
  ['src/agent', { bots: [`${WHOLE_BOTS}/agent`] }],
  ['src/voice', { bots: ['test/src/voice', WHOLE_BOTS] }],
  ['src/speech', { bots: ['test/src/speech', 'test/src/transcription', `${WHOLE_BOTS}/built`] }],
  ['diarization', { bots: ['test/diarization'] }],
  ['end-to-end', { bots: [WHOLE_BOTS] }],
  ['src/report', { drivers: ['test/src/report', 'test/control-plane'], bots: ['test/src/report'] }],
  ['packages/page-parts', { drivers: ['test/src/report', 'test/control-plane'], bots: ['test/src/report'] }],
  ['src', { drivers: ['test/src'], bots: ['test/src', 'test/docs', WHOLE_BOTS] }],
  ['packages/client', { bots: ['test/packages/client', 'test/docs', 'test/src/cli'] }],
  ['packages/mcp', { bots: ['test/packages/mcp', 'test/packages/client'] }],
  ...['docker', 'scripts'].map((name) => [name, { bots: [`test/${name}`] }] as const),
  ['bin', { bots: ['test/scripts'] }],
  ['docs', { bots: ['test/docs'] }],
  ['bench/notes', NONE],
  ['bench', { bots: ['test/bench'] }],
  ...['smoke/', '.ci/', '.github/', '.devcontainer/', '.editorconfig', '.gitignore', 'LICENSE'].map(
    (name) => [name, NONE] as const,
  ),
]

/** The lanes that changed files need: paths from the root of the checkout. */
export function lanesOf(changed: readonly string[]): Needs {
  const needs: Needs = {}
  for (const file of changed.filter((name) => !/^[^/]+\.md$/.test(name))) {
    const room = roomOf(file)
    for (const lane of ['drivers', 'bots'] as const) {
      const [before, more] = [needs[lane], room[lane]]
      if (more === undefined || before === 'all') continue
      needs[lane] = more === 'all' ? more : [...new Set([...(before ?? []), ...more])]
    }
  }
  return needs
}

/** The need that the name of a test says, such as `db` of `x.db.test.ts`, or `unit`; null for a file that is no test. */
export function needOf(file: string): string | null {
  const [isTest, need = 'unit'] = /(?:\.(db|smoke|browser|process|system|measured|long))?\.test\.ts$/.exec(file) ?? []
  return isTest === undefined ? null : need
}

function roomOf(file: string): Needs {
  const need = needOf(file)
  // No other file imports a test.
  if (need === 'browser') return { drivers: [file] }
  if (need === 'process' || need === 'system' || need === 'measured') return { bots: [file] }
  if (need !== null) return NONE
  const path = file.replace(/^test\//, '')
  return ROOMS.find(([start]) => path === start || path.startsWith(asFolder(start)))?.[1] ?? ALL
}

/** `platforms/zoom` is not the start of `platforms/zoomed.ts`, while `platforms/conformance/zoom` names files. */
function asFolder(start: string): string {
  return start.endsWith('/') || start.startsWith('platforms/conformance/') ? start : `${start}/`
}

/** Lines for `.ci/run`. */
export function linesOf(needs: Needs): string[] {
  return (['drivers', 'bots'] as const).flatMap((lane) => {
    const paths = needs[lane]
    if (paths === undefined) return []
    return [paths === 'all' ? lane : `${lane} ${paths.join(' ')}`]
  })
}

/** More commits than this since all lanes passed: what they broke together is looked for again. */
const MAX_COMMITS = 60

/** The files that changed since the commit in `.ci/green`; null if that is missing, unknown or too old. */
function changedSinceGreen(): string[] | null {
  const file = new URL('../.ci/green', import.meta.url)
  const green = existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
  if (!/^[0-9a-f]{40}$/.test(green)) return null
  try {
    git('merge-base', '--is-ancestor', green, 'HEAD')
    const [commits] = git('rev-list', '--count', `${green}..HEAD`)
    return Number(commits) > MAX_COMMITS ? null : changedSince(green)
  } catch {
    return null
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const changed = changedSinceGreen()
  for (const line of linesOf(changed === null ? ALL : lanesOf(changed))) console.log(line)
}
