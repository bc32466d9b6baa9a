/**
 * `npm run bench`: what a bot costs on this machine and how good its recording is, next to the pipelines that other bots
 * publish, all on the same mock meeting in the same run. CPU and memory are those of the bot's side alone: the mock
 * meeting runs in this process and is not counted.
 *
 * `-- --seconds 15`: the measured time of each contender.
 * `-- --rounds 2`: the number of measurements of each, in turns.
 * `-- --only audio,off`: only contenders whose name contains one of these words, and the page alone.
 * `-- --together`: all at the same time, so that other work of the machine affects all equally; this needs enough cores.
 * `-- --heavy`: in a large meeting instead of one of four people (`bench/shared/meeting.ts`).
 * `-- --still`: with a shared screen that stands still and no camera, instead.
 * `-- --before ../other`: also with the program that is built in another checkout.
 * `-- --many`: finds how many bots of each kind run at once, instead; `--memory 4096` are the megabytes that all of them may
 * use together, and `--most 32` the largest number that is tried. For a part of a machine: `taskset -c 0,1 npm run bench`.
 * `-- --write`: writes the tables into a new note of today in bench/notes.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { packageRoot } from '../packages/core/process/page-scripts.ts'
import { startMockGoogleMeet } from '../packages/mock/index.ts'
import { bundlePageScripts } from '../scripts/build.ts'
import { measureMany } from './many.ts'
import { begin, type Contender, type Measured } from './shared/measured.ts'
import { openScene } from './shared/meeting.ts'
import { newNote } from './shared/notes.ts'
import { ownMode } from './shared/own-modes.ts'
import { pageAlone, peer } from './shared/peers.ts'
import { PIPELINES } from './shared/pipelines.ts'
import { type Row, rowOf, tableOf, together } from './shared/table.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '15' },
    rounds: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    together: { type: 'boolean' },
    heavy: { type: 'boolean', default: false },
    still: { type: 'boolean', default: false },
    before: { type: 'string' },
    many: { type: 'boolean' },
    memory: { type: 'string', default: '4096' },
    most: { type: 'string', default: '32' },
    write: { type: 'boolean' },
  },
})
const seconds = Number(values.seconds)
const rounds = Number(values.rounds)
const kind = values.heavy ? 'large' : values.still ? 'still' : 'usual'
const MEETINGS = {
  usual: 'four people of 640×360 at 24 frames',
  still: 'four people without cameras, one of whom shares a screen of 1280×720 that does not change',
  large: '300 people, 16 cameras of 1280×720 at 24 frames, sent in the sizes that are asked for',
}

await bundlePageScripts({ goOn: true })
const server = await startMockGoogleMeet()
const folder = mkdtempSync(join(tmpdir(), 'standin-bench-'))
const zero = pageAlone(server, true)
const withoutCameras = pageAlone(server, false)
const OWN_MODES = ['speaker_view', 'gallery_view', 'audio_only'] as const
const ownModes = (checkout?: string) => OWN_MODES.map((mode) => ownMode(mode, server, folder, checkout))
const [speaker, gallery, audio] = ownModes() as [Contender, Contender, Contender]
const before = values.before === undefined ? [] : ownModes(resolve(values.before))
const contenders: Contender[] = [
  zero,
  speaker,
  ...before,
  ...PIPELINES.map((pipeline) => peer(pipeline, server, folder)),
  gallery,
  withoutCameras,
  audio,
].filter((contender) => contender === zero || isAskedFor(contender))

const recorders = [
  audio,
  ...contenders.filter((contender) => contender !== audio && contender.framesPerSecond !== null),
]
const rows = new Map<string, Row[]>()
const loadBefore = loadavg()[0]!
const sections: string[] = []
try {
  if (values.many) {
    const limits = { maxMegabytes: Number(values.memory), maxBots: Number(values.most) }
    sections.push(await measureMany(server, recorders.filter(isAskedFor), { seconds, kind, ...limits }))
  } else sections.push(await measureCosts())
} finally {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
}
const text = sections.join('\n\n')
console.log(text)
if (values.write) {
  const file = newNote('recording-costs')
  writeFileSync(file, `# What a recording costs\n\n${text}\n`)
  // Tables are kept aligned.
  execFileSync(join(packageRoot, 'node_modules', '.bin', 'biome'), ['format', '--write', file], { stdio: 'ignore' })
}

async function measureCosts(): Promise<string> {
  for (let round = 0; round < rounds; round++) {
    // Every other round runs backwards, so that no contender is always the first.
    const inTurn = round % 2 === 0 ? contenders : contenders.toReversed()
    for (const some of values.together ? [inTurn] : inTurn.map((contender) => [contender])) await measureEach(some)
  }
  // The zero line counts in every ratio: it is measured at both ends of the run.
  if (contenders.length > 1 && !values.together) await measureEach([zero])
  const conditions = [
    values.together ? `${seconds} s, all at once` : `${seconds} s for each`,
    rounds === 1 ? '' : `${rounds} rounds`,
    `load ${loadBefore.toFixed(1)} before, ${loadavg()[0]!.toFixed(1)} at the end`,
    MEETINGS[kind],
  ]
  const all = contenders.flatMap(({ name }) => (rows.has(name) ? [together(rows.get(name)!)] : []))
  const compared = {
    pageAlone: zero.name,
    pageWithoutCameras: withoutCameras.name,
    soundOnly: audio.name,
    own: [speaker, gallery, audio, ...before].map(({ name }) => name),
  }
  return tableOf(all, compared, conditions.filter(Boolean).join(', '))
}

function isAskedFor({ name }: Contender): boolean {
  const words = values.only.toLowerCase().split(',')
  return words.some((word) => name.toLowerCase().includes(word))
}

/** Measures these at the same time. A failed one is reported and left out; the others' figures are kept. */
async function measureEach(some: readonly Contender[]): Promise<void> {
  const begun: { contender: Contender; measure(seconds: number): Promise<Measured> }[] = []
  for (const contender of some) {
    const scene = openScene(server, { cameras: contender.hasCameras, kind })
    await orReport(contender, async () => void begun.push({ contender, measure: await begin(contender, scene) }))
  }
  const measured: Measured[] = []
  await Promise.all(
    begun.map(({ contender, measure }) => orReport(contender, async () => void measured.push(await measure(seconds)))),
  )
  for (const one of measured)
    await orReport(one.contender, async () => {
      const row = await rowOf(one)
      rows.set(row.name, [...(rows.get(row.name) ?? []), row])
      console.error(`${row.name}: ${row.cores.toFixed(2)} cores, load ${loadavg()[0]!.toFixed(1)}`)
    })
}

async function orReport({ name }: Contender, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    console.error(`${name} could not be measured:`, error)
    process.exitCode = 1
  }
}
