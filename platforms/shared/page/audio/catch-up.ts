/** How fast sound is played that comes unevenly: no later than it has to be, without breaking off. Pure. */

/** Sound that waits longer than this is left out. */
const MAX_WAITING_MS = 150
/** What waits at least, in all of the last pieces, is a delay without use beyond this. */
const SPARE_MS = 20
/** Pieces of 20 ms. */
const LOOKS = 50
/** Less than a semitone, and a pause that nothing is missed of. */
const HASTE = { sound: 1.05, silence: 2 }

/**
 * To be called before each piece is played. `waitingMs`: of the sound before it, what is not played yet; negative once all of it
 * is. Returns its pace: 1 as it is, more than that faster, and 0 if it is to be left out.
 */
export function createCatchUp(): (waitingMs: number, isSilent: boolean) => number {
  let waits: number[] = []
  return (waitingMs, isSilent) => {
    if (waitingMs > MAX_WAITING_MS) return 0
    waits = [...waits.slice(1 - LOOKS), waitingMs]
    if (waits.length < LOOKS || Math.min(...waits) < SPARE_MS) return 1
    return isSilent ? HASTE.silence : HASTE.sound
  }
}
