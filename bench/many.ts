/** Several bots at once on this machine: whether each of them has its sound without a hole. */
import { availableParallelism, loadavg } from 'node:os'
import type { RecordingMode } from '@standin/wire/codes.ts'
import type { MockServer } from '../mock/types.ts'
import { soundOf } from '../test/media/meeting-recording.ts'
import type { Running } from './shared/measured.ts'
import { openScene, passes, type Scene } from './shared/meeting.ts'
import { ownMode } from './shared/own-modes.ts'
import { measureTree } from './shared/process-tree.ts'
import { markdown } from './shared/table.ts'

/** The number of bots that two cores have to run. */
const CROWDS = [
  { mode: 'audio_only', count: 8 },
  { mode: 'speaker_view', count: 2 },
] as const
const RATE = 16_000
const WINDOW_SECONDS = 0.01
/** Amplitude, root of the mean square. All people speak without a pause, so that silence is a hole. */
const SILENT_BELOW = 0.003
const SETTLE_SECONDS = 8

export async function measureMany(
  server: MockServer,
  folder: string,
  seconds: number,
  crowds: readonly { mode: RecordingMode; count: number }[] = CROWDS,
): Promise<string> {
  const lines: string[][] = []
  for (const { mode, count } of crowds) {
    const scenes: Scene[] = []
    const bots: Running[] = []
    try {
      // One after the other: a join costs a burst of CPU time, and real bots do not start eight at once.
      for (let n = 0; n < count; n++) {
        const scene = openScene(server, { talk: 'all' })
        scenes.push(scene)
        bots.push(await ownMode(mode, server, folder).start(scene))
      }
      await passes(SETTLE_SECONDS)
      const read = measureTree(() => bots.flatMap((bot) => [...bot.roots()]))
      await passes(seconds)
      const { cores, megabytes } = read()
      const load = loadavg()[0]!
      const files = await Promise.all(bots.map((bot) => bot.finish()))
      const holes: number[] = []
      for (const file of files) {
        // Other bots still join in the first seconds of a recording; its last second is cut when the bot leaves.
        const sound = await soundOf(file!)
        holes.push(holeSeconds(sound.subarray(-(seconds + 1) * RATE, -RATE)))
      }
      lines.push([
        `${count} × ${mode}`,
        cores.toFixed(2),
        (cores / count).toFixed(2),
        (megabytes / count).toFixed(0),
        `${holes.filter((hole) => hole === 0).length} of ${count}`,
        Math.max(...holes).toFixed(2),
        load.toFixed(1),
      ])
    } finally {
      await Promise.all(bots.map((bot) => bot.dispose()))
      for (const scene of scenes) scene.end()
    }
  }
  const head = [
    ...['bots at once', 'cores', 'cores each', 'MB each (PSS)', 'without a hole in the sound'],
    ...['longest sum of holes, s', 'load'],
  ]
  return [`${availableParallelism()} cores, ${seconds} s:`, '', ...markdown(head, lines)].join('\n')
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
