/**
 * `npm run bench:beeps`: a whole bot in the synthetic meeting for an hour, and how far sound and picture are apart at every
 * beep of the finished file. The meeting runs on the same cores.
 *
 * `-- --minutes 60` is the length, `-- --times 5` records so often, one after the other, `-- --platform teams` is another
 * mock than Google Meet, `-- --mode gallery_view` another picture; `-- --every` prints each beep, `-- --keep <folder>` leaves
 * the recordings there.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { MOCK_PLATFORMS, startMock } from '../packages/mock/index.ts'
import { bundlePageScripts } from '../scripts/build.ts'
import { BotProcess, platformArguments } from '../test/end-to-end/bot-process.ts'
import { beepsIn, flashesOf, offsets, soundOf } from '../test/media/meeting-recording.ts'
import { median, worst } from '../test/media/statistics.ts'
import { openScene, passes } from './shared/meeting.ts'
import { measureTree } from './shared/process-tree.ts'
import { markdown } from './shared/table.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    times: { type: 'string', default: '1' },
    platform: { type: 'string', default: 'meet' },
    mode: { type: 'string', default: 'speaker_view' },
    every: { type: 'boolean' },
    keep: { type: 'string' },
  },
})
/** Milliseconds. Largest offset between sound and picture that counts as in sync. */
const IN_SYNC_MS = 40
const PART_SECONDS = 300
const SAMPLE_SECONDS = 10

/** A flash and its beep: the flash's seconds in the recording, and the delay of the beep. */
interface Beep {
  at: number
  ms: number
}

interface Recorded {
  beeps: Beep[]
  /** Share of all cores that the host took away, in each sample. */
  stolen: number[]
  /** The recording's own report, and its cost. */
  words: string
}

const platform = MOCK_PLATFORMS.find((name) => name === values.platform)
if (platform === undefined) throw new Error(`--platform is one of ${MOCK_PLATFORMS.join(', ')}`)
await bundlePageScripts({ goOn: true })
const folder = values.keep ?? mkdtempSync(join(tmpdir(), 'standin-beeps-'))
const server = await startMock(platform)
const recorded: Recorded[] = []
try {
  for (let time = 0; time < Number(values.times); time++) {
    const one = await record(Number(values.minutes) * 60)
    recorded.push(one)
    console.error(`${time + 1}. ${one.words}`)
    if (values.every) for (const { at, ms } of one.beeps) console.error(`${at.toFixed(2)} ${ms.toFixed(0)}`)
  }
} finally {
  await server.close()
  if (values.keep === undefined) rmSync(folder, { recursive: true, force: true })
}
console.log(tableOf(recorded))

async function record(seconds: number): Promise<Recorded> {
  const scene = openScene(server)
  await scene.markTime()
  const bot = new BotProcess(server, scene.meeting, {
    out: folder,
    arguments: platformArguments(platform!, scene.meeting),
    job: { recording_mode: values.mode },
  })
  try {
    await bot.whenStatus('in_call_recording')
    const read = measureTree(() => [bot.process.pid!])
    const stolen = await watchHost(seconds)
    const { cores } = read()
    const endedAt = performance.now()
    bot.kill('SIGINT')
    const file = 'video.mp4'
    await bot.whenEvent('artifact', ({ artifact }) => artifact.name === file)
    const secondsToFile = (performance.now() - endedAt) / 1000
    const { report } = await bot.ended()
    const path = bot.file(file)
    const heard = beepsIn(await soundOf(path))
    const beeps = (await flashesOf(path)).flatMap((at) => offsets([at], heard).map((ms) => ({ at, ms })))
    const { frames_lost: lost, frames_expected: frames } = report!.quality!
    return {
      beeps,
      stolen,
      words: `${lost} of ${frames} frames repeated, ${cores.toFixed(2)} core, ${secondsToFile.toFixed(2)} s to the file`,
    }
  } finally {
    scene.end()
    await bot.dispose()
  }
}

/** Samples, for this many seconds, the share of this machine's cores that the host took away. */
async function watchHost(seconds: number): Promise<number[]> {
  const until = performance.now() + seconds * 1000
  const stolen: number[] = []
  let before = cpuTimes()
  while (performance.now() < until) {
    await passes(Math.min(SAMPLE_SECONDS, (until - performance.now()) / 1000))
    const now = cpuTimes()
    stolen.push((now.stolen - before.stolen) / Math.max(1, now.all - before.all))
    before = now
  }
  return stolen
}

/** Of all cores together, in the kernel's ticks. */
function cpuTimes(): { all: number; stolen: number } {
  const line = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]!
  const ticks = line.trim().split(/\s+/).slice(1, 9).map(Number)
  return { all: ticks.reduce((sum, value) => sum + value, 0), stolen: ticks[7] ?? 0 }
}

/** Each recording in parts of five minutes, then all together. */
function tableOf(all: readonly Recorded[]): string {
  const isOff = ({ ms }: Beep) => Math.abs(ms) > IN_SYNC_MS
  const rows = all.flatMap(({ beeps, stolen }, index) => {
    const parts = Map.groupBy(beeps, ({ at }) => Math.floor(at / PART_SECONDS))
    return [...parts].map(([part, within]) => {
      const apart = within.map(({ ms }) => ms)
      const [from, until] = [part, part + 1].map((edge) => (edge * PART_SECONDS) / SAMPLE_SECONDS)
      return [
        `${index + 1}`,
        `${(part * PART_SECONDS) / 60}`,
        `${within.length}`,
        `${within.filter(isOff).length}`,
        ...[median(apart), Math.min(...apart), Math.max(...apart)].map((ms) => ms.toFixed(0)),
        `${(100 * Math.max(0, ...stolen.slice(from, until))).toFixed(1)} %`,
      ]
    })
  })
  const head = ['recording', 'from minute', 'beeps', `over ${IN_SYNC_MS} ms off`, 'median, ms', 'least', 'most']
  const beeps = all.flatMap((one) => one.beeps)
  const apart = beeps.map(({ ms }) => ms)
  return [
    ...markdown([...head, 'most stolen in 10 s'], rows),
    '',
    `${availableParallelism()} cores, ${platform}, ${values.mode}: ${beeps.filter(isOff).length} of ${beeps.length} beeps more than ` +
      `${IN_SYNC_MS} ms off, median ${median(apart).toFixed(0)}, worst ${worst(apart).toFixed(0)} ms`,
    ...all.map(({ words }, index) => `${index + 1}: ${words}`),
  ].join('\n')
}
