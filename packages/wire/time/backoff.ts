/** Pauses before work is tried again. */

export interface Backoff {
  /** Longest pause before the second try, and before any try. */
  first: number
  max: number
  /** By how much the pause grows from try to try; 2 without it. */
  factor?: number
  /** From 0 to 1: the part of each pause that is left to chance, so that those who failed together do not return together. */
  jitter: number
  /** From 0 to 1. */
  random?: () => number
}

/** More growth than this reaches every maximum, and no number overflows. */
const MAX_GROWTHS = 60

/** How long to wait after try number `tries` failed, in the unit of `first` and `max`. */
export function backoff({ first, max, factor = 2, jitter, random = Math.random }: Backoff, tries: number): number {
  const growths = Math.min(Math.max(0, tries - 1), MAX_GROWTHS)
  return Math.min(max, first * factor ** growths) * (1 - jitter * random())
}

/** The value, more or less by up to this part of it; keeps what began together from staying together. */
export function spread(value: number, part: number, random: () => number = Math.random): number {
  return value * (1 + part * (2 * random() - 1))
}
