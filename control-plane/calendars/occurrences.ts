/**
 * Which new occurrence continues which old one. A provider gives the occurrences of a series other ids when their times
 * change, when the series is split or made again, and when a single event becomes a series or the reverse. Pure.
 */

export interface Occurrence {
  id: string
  /** Where the rule of the series puts it; for a single event, its start. */
  at: Date
}

/** For an event that is alone. */
const MAX_DISTANCE_MS = 15 * 86_400_000

/**
 * Pairs old occurrences that vanished with new ones, in the order of time and with the smallest sum of distances.
 * None pairs over more than half the time between two occurrences: there, the next one is nearer. `kept`: old ones that are
 * still there.
 */
export function continued(
  vanished: readonly Occurrence[],
  kept: readonly Occurrence[],
  fresh: readonly Occurrence[],
): Map<string, string> {
  const [old, next] = [inOrder(vanished), inOrder(fresh)]
  const limit = Math.min(halfOfGap(inOrder([...vanished, ...kept])), halfOfGap(next))
  const distance = (row: number, column: number) => Math.abs(old[row]!.at.getTime() - next[column]!.at.getTime())
  // costs[row][column]: the least for the old ones from `row` and the new ones from `column` on.
  const costs = [...old, null].map(() => new Array<number>(next.length + 1).fill(0))
  for (let row = old.length - 1; row >= 0; row--)
    for (let column = next.length; column >= 0; column--) {
      const isLast = column === next.length
      const apart = costs[row + 1]![column]! + limit
      const paired = isLast ? Infinity : costs[row + 1]![column + 1]! + pairCost(distance(row, column), limit)
      costs[row]![column] = Math.min(apart, paired, isLast ? Infinity : costs[row]![column + 1]!)
    }
  const pairs = new Map<string, string>()
  for (let row = 0, column = 0; row < old.length && column < next.length; ) {
    const cost = costs[row]![column]!
    if (cost === costs[row + 1]![column + 1]! + pairCost(distance(row, column), limit))
      pairs.set(old[row++]!.id, next[column++]!.id)
    else if (cost === costs[row]![column + 1]!) column++
    else row++
  }
  return pairs
}

const pairCost = (distance: number, limit: number) => (distance <= limit ? distance : Infinity)

const inOrder = (occurrences: readonly Occurrence[]) =>
  [...occurrences].sort((one, other) => one.at.getTime() - other.at.getTime())

function halfOfGap(occurrences: readonly Occurrence[]): number {
  const gaps = occurrences.slice(1).map(({ at }, index) => at.getTime() - occurrences[index]!.at.getTime())
  return Math.min(MAX_DISTANCE_MS, ...gaps.filter((gap) => gap > 0).map((gap) => gap / 2))
}
