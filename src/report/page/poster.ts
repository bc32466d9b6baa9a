import type { ReportData } from './data.ts'

/** The name and the frame of an active speaker appear some moments after the first word. Seconds. */
const INTO_TURN = 1

/** The position whose picture the player shows until it plays: the first speaker instead of a black picture. Seconds. */
export function posterAt({ turns, seconds }: Pick<ReportData, 'turns' | 'seconds'>): number {
  const [first] = turns.toSorted((one, other) => one.from - other.from)
  if (!first) return seconds / 2
  return Math.max(0, Math.min(first.from + Math.min(INTO_TURN, (first.to - first.from) / 2), seconds))
}
