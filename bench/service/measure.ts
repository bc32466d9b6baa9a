/** The types of a measure, and helpers that several measures use. */
import { readFileSync } from 'node:fs'

export interface Options {
  /** Sizes that a busy machine can try; goals hold for the full sizes. */
  isSmall: boolean
}

export type Goal =
  | { atMost: number }
  | { atLeast: number }
  /** These two are of the plainest program's figure. */
  | { ratioAtLeast: number }
  | { ratioAtMost: number }

export interface Figure {
  measure: string
  value: number
  unit: string
  /** The figure of the plainest program that does the same, in the same run; null if there is none. */
  plain: number | null
  goal: Goal | null
}

export type Measure = (options: Options) => Promise<Figure[]>

/** `share` from 0 to 1; NaN without values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/**
 * Calls `send` this many times per second, without waiting for earlier calls. `dueAt` is the `performance.now()` at
 * which the call was due: a latency from there includes the delay of a late sender.
 */
export async function paced(
  perSecond: number,
  seconds: number,
  send: (number: number, dueAt: number) => void,
): Promise<void> {
  const startedAt = performance.now()
  for (let sent = 0; sent < perSecond * seconds; ) {
    const due = Math.min(perSecond * seconds, Math.floor(((performance.now() - startedAt) / 1000) * perSecond) + 1)
    for (; sent < due; sent++) send(sent, startedAt + (sent / perSecond) * 1000)
    await wait(2)
  }
}

/** Runs `work` this many times at once until it has been called `count` times. */
export async function inLanes(lanes: number, count: number, work: (number: number) => Promise<void>): Promise<void> {
  let next = 0
  const lane = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

/** Resolves when the condition holds; rejects with `what` after `seconds`. */
export async function until(what: string, seconds: number, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + seconds * 1000
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`Not within ${seconds} s: ${what}`)
    await wait(20)
  }
}

export function progress(text: string): void {
  process.stderr.write(`${text}\n`)
}

/** Of one process. */
export function residentMegabytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1000
}
