/**
 * How many bots this machine runs at once: for each mode, and for the pipelines of other bots, the number grows until the
 * sound of one has a hole, a frame is missed, or the memory is used up.
 */
import { availableParallelism, freemem, loadavg } from 'node:os'
import { messageOf } from '@standin/wire/text/error-text.ts'
import type { MockServer } from '../packages/mock/types.ts'
import { pictureTimes } from '../test/media/media-info.ts'
import { soundOf } from '../test/media/meeting-recording.ts'
import type { Contender, Running } from './shared/measured.ts'
import { type Meeting, openScene, passes, type Scene } from './shared/meeting.ts'
import { measureTree } from './shared/process-tree.ts'
import { markdown } from './shared/table.ts'

const RATE = 16_000
const WINDOW_SECONDS = 0.01
/** Amplitude, root of the mean square. Some people speak without a pause, so that silence is a hole. */
const SILENT_BELOW = 0.003
const SETTLE_SECONDS = 8
/** Those at the two edges of the measured seconds. */
const FRAMES_AT_EDGES = 2
/** Another bot would push the machine itself into trouble. */
const MIN_FREE_BYTES = 500e6

export interface ManyOptions {
  seconds: number
  kind: Meeting
  /** Of all bots together, each shared page once (PSS). */
  maxMegabytes: number
  maxBots: number
}

/** The result of so many bots at once. */
export interface Crowd {
  count: number
  /** Why they were too many; null if they were not. */
  broke: string | null
  cores: number
  megabytes: number
  /** Of this process: the meetings themselves. */
  meetingCores: number
  load: number
}

export async function measureMany(
  server: MockServer,
  contenders: readonly Contender[],
  options: ManyOptions,
): Promise<string> {
  const lines: string[][] = []
  for (const contender of contenders) {
    const crowds: Crowd[] = []
    const { most } = await growUntilItBreaks(options.maxBots, async (count) => {
      const crowd = await runCrowd(server, contender, count, options)
      crowds.push(crowd)
      console.error(`${count} × ${contender.name}: ${crowd.broke ?? 'unbroken'}, ${crowd.cores.toFixed(2)} cores`)
      return crowd.broke === null
    })
    lines.push(lineOf(contender, most, crowds))
  }
  const head = ['bots at once', 'most', 'cores', 'cores each', 'MB each (PSS)', 'cores of the meetings', 'one more']
  const conditions = [
    `${availableParallelism()} cores`,
    `at most ${options.maxMegabytes} MB for all bots`,
    `${options.seconds} s for each number`,
  ]
  return [`${conditions.join(', ')}:`, '', ...markdown([...head, 'load'], lines)].join('\n')
}

/**
 * The largest number that works, from 0 to `limit`: doubles it until it does not, then halves the interval. A number that
 * failed is not tried again.
 */
export async function growUntilItBreaks(
  limit: number,
  works: (count: number) => Promise<boolean>,
): Promise<{ most: number }> {
  let most = 0
  let tooMany = limit + 1
  for (let count = 1; most < tooMany - 1; ) {
    if (await works(count)) most = count
    else tooMany = count
    count = tooMany > limit ? Math.min(limit, Math.max(1, most * 2)) : Math.floor((most + tooMany) / 2)
  }
  return { most }
}

/** Starts so many bots, each in a separate meeting, and measures them together. Never rejects. */
async function runCrowd(
  server: MockServer,
  contender: Contender,
  count: number,
  { seconds, kind, maxMegabytes }: ManyOptions,
): Promise<Crowd> {
  const scenes: Scene[] = []
  const bots: Running[] = []
  const crowd: Crowd = { count, broke: null, cores: 0, megabytes: 0, meetingCores: 0, load: 0 }
  try {
    // One after the other: a join costs a burst of CPU time, and real bots do not start all at once.
    for (let n = 0; n < count; n++) {
      if (freemem() < MIN_FREE_BYTES) return { ...crowd, broke: `no memory for bot ${n + 1}` }
      const scene = openScene(server, { talk: 'all', kind })
      scenes.push(scene)
      await scene.markTime()
      bots.push(await contender.start(scene))
    }
    await passes(SETTLE_SECONDS)
    const read = measureTree(() => bots.flatMap((bot) => [...bot.roots()]))
    const before = bots.map((bot) => bot.repeatedFrames?.())
    const start = process.cpuUsage()
    await passes(seconds)
    const { cores, megabytes } = read()
    const used = process.cpuUsage(start)
    // Not those of the end, at which all of them leave at once.
    const repeated = bots.map((bot, index) => (bot.repeatedFrames?.() ?? 0) - (before[index] ?? 0))
    Object.assign(crowd, {
      ...{ cores, megabytes, load: loadavg()[0]! },
      meetingCores: (used.user + used.system) / 1e6 / seconds,
    })
    const files = await Promise.all(bots.map((bot) => bot.finish()))
    if (megabytes > maxMegabytes) return { ...crowd, broke: `${megabytes.toFixed(0)} MB` }
    const faults: string[] = []
    for (const [index, file] of files.entries()) {
      const reported = before[index] === undefined ? null : repeated[index]!
      faults.push(...(await faultsOf(file!, contender, seconds, reported)))
    }
    return { ...crowd, broke: faults.length === 0 ? null : faults.sort().at(-1)! }
  } catch (error) {
    return { ...crowd, broke: messageOf(error).split('\n')[0]!.slice(0, 80) }
  } finally {
    await Promise.allSettled(bots.map((bot) => bot.dispose()))
    for (const scene of scenes) scene.end()
    await Promise.allSettled(scenes.map(({ meeting }) => server.forget(meeting)))
  }
}

/** @param repeated frames that the recorder repeated; null if it does not report them */
async function faultsOf(
  file: string,
  { framesPerSecond }: Contender,
  seconds: number,
  repeated: number | null,
): Promise<string[]> {
  // Other bots still join in the first seconds of a recording; its last second is cut when the bot leaves.
  const sound = (await soundOf(file)).subarray(-(seconds + 1) * RATE, -RATE)
  const hole = sound.length < seconds * RATE ? seconds : holeSeconds(sound)
  const faults = hole === 0 ? [] : [`${hole.toFixed(2)} s without sound`]
  if (framesPerSecond === null) return faults
  const missed = repeated ?? (await missedFrames(file, framesPerSecond, seconds))
  return missed <= FRAMES_AT_EDGES ? faults : [...faults, `${missed} frames missed`]
}

/** Of the measured seconds before the last one. */
async function missedFrames(file: string, framesPerSecond: number, seconds: number): Promise<number> {
  const times = await pictureTimes(file)
  const until = (times.at(-1) ?? 0) - 1
  const found = times.filter((time) => time > until - seconds && time <= until).length
  return Math.max(0, Math.round(framesPerSecond * seconds) - found)
}

function lineOf({ name }: Contender, most: number, crowds: readonly Crowd[]): string[] {
  const best = crowds.find(({ count }) => count === most)
  const next = crowds.find(({ count }) => count === most + 1)
  const shown = best ?? next
  const each = (value: number | undefined, digits: number) =>
    best === undefined || value === undefined ? '–' : (value / most).toFixed(digits)
  return [
    name,
    String(most),
    best?.cores.toFixed(2) ?? '–',
    each(best?.cores, 2),
    each(best?.megabytes, 0),
    shown?.meetingCores.toFixed(2) ?? '–',
    next?.broke ?? 'not tried',
    shown?.load.toFixed(1) ?? '–',
  ]
}

/** Seconds without sound. */
export function holeSeconds(sound: Float32Array): number {
  const size = RATE * WINDOW_SECONDS
  let silent = 0
  for (let from = 0; from + size <= sound.length; from += size) {
    let power = 0
    for (let at = from; at < from + size; at++) power += sound[at]! ** 2
    if (Math.sqrt(power / size) < SILENT_BELOW) silent += 1
  }
  return silent * WINDOW_SECONDS
}
