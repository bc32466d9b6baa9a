/** Mixes the tracks of a meeting into one sound as they come. Pure. */
import { type Heard, READ_RATE } from './track-reader.ts'

/** Sound is mixed in steps of 10 ms, in which browsers decode. */
const STEP_MS = 10
const STEP = (READ_RATE * STEP_MS) / 1000
/** A track that is this much behind the first one is not waited for; it is mixed when it comes. */
const PATIENCE = 3 * STEP
/** More than this of one track is too late to be mixed. */
const MAX_QUEUED = 20 * STEP

interface Queue {
  /** Samples that are not mixed yet. */
  samples: Float32Array
  /** Of the first of them. */
  at: number
  isAwaited: boolean
}

export interface SoundMixer<Source> {
  add(source: Source, heard: Heard): void
  remove(source: Source): void
}

/** `emit` gets pieces of 10 ms, each as soon as every track has given its part or one is too late. */
export function createSoundMixer<Source>(emit: (heard: Heard) => void): SoundMixer<Source> {
  const queues = new Map<Source, Queue>()
  /** UTC milliseconds of the end of what was mixed. */
  let mixedUntil = 0

  function mixWhatIsThere(): void {
    for (;;) {
      const all = [...queues.values()]
      const ready = all.filter(({ samples }) => samples.length >= STEP)
      const most = Math.max(0, ...ready.map(({ samples }) => samples.length))
      const isComplete = all.every(({ samples, isAwaited }) => !isAwaited || samples.length >= STEP)
      if (ready.length === 0 || !(isComplete || most >= PATIENCE)) return
      for (const queue of all) queue.isAwaited = ready.includes(queue)
      const at = Math.min(...ready.map((queue) => queue.at))
      emit({ samples: sumOf(ready), at })
      mixedUntil = at + STEP_MS
      for (const queue of ready) {
        queue.samples = queue.samples.slice(STEP)
        queue.at += STEP_MS
      }
    }
  }

  return {
    add(source, { samples, at }) {
      const queue = queues.get(source)
      const isBack = !queue?.isAwaited
      // The first sound of a track may have been mixed without it; kept, it would put the track behind for good.
      if (isBack && at < mixedUntil - STEP_MS / 2)
        queues.set(source, { samples: new Float32Array(0), at, isAwaited: true })
      else if (isBack || queue.samples.length === 0) queues.set(source, { samples, at, isAwaited: true })
      else queue.samples = joined(queue.samples, samples).slice(-MAX_QUEUED)
      mixWhatIsThere()
    },
    remove(source) {
      queues.delete(source)
      mixWhatIsThere()
    },
  }
}

function sumOf(queues: readonly Queue[]): Float32Array {
  const sum = new Float32Array(STEP)
  for (const { samples } of queues) for (let index = 0; index < STEP; index++) sum[index]! += samples[index]!
  for (let index = 0; index < STEP; index++) sum[index] = Math.max(-1, Math.min(1, sum[index]!))
  return sum
}

function joined(one: Float32Array, other: Float32Array): Float32Array {
  const both = new Float32Array(one.length + other.length)
  both.set(one)
  both.set(other, one.length)
  return both
}
