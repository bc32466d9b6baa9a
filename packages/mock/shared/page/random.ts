/** Random numbers that are the same for the same seed, in the page and in its server. */

export interface Random {
  /** 0 to below 1. */
  next(): number
  int(from: number, to: number): number
  chance(share: number): boolean
}

/** Mulberry32: same seed, same page. */
export function randomOf(seed: number): Random {
  let state = (seed * 2654435761) >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  return {
    next,
    int: (from, to) => from + Math.floor(next() * (to - from + 1)),
    chance: (share) => next() < share,
  }
}

/** A number of a text, the same every time. */
export function hashOf(text: string): number {
  return [...text].reduce((sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) >>> 0, 7)
}
