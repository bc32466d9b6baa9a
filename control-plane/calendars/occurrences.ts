/**
 * Which new occurrence continues which one that vanished. A provider gives the occurrences of a series other ids when their
 * times change, when the series is split or made again, and when a single event becomes a series or the reverse. Pure.
 */
import type { Place } from '../store/calendars/successions.ts'

/** For an occurrence without a neighbor. */
const MAX_DISTANCE_MS = 15 * 86_400_000

/**
 * New occurrences by the vanished ones that they continue. Changes of one series come with one sync; the end of one and
 * the beginning of another may come with two, of which this one is the second. First come the pairs whose both sides
 * came to light with this sync, then those of the series that continues the old one best, then the nearest ones. None is
 * farther away than half the time between two occurrences of either: there, the next one is nearer. `rankOf`: how well
 * a series continues another one, 1 is best; undefined if it does not.
 */
export function continued(
  places: readonly Place[],
  rankOf: (oldSeriesId: string, newSeriesId: string) => number | undefined,
): Map<string, string> {
  const bySeries = Map.groupBy(places, ({ series_id }) => series_id)
  const limits = new Map([...bySeries].map(([id, events]) => [id, halfOfGap(events)]))
  const fresh = places.filter(({ is_gone, is_now, is_free }) => !is_gone && (is_now || is_free))
  const near = places.flatMap((old) => {
    if (!old.is_gone) return []
    return fresh.flatMap((by) => {
      const isSame = old.series_id === by.series_id
      const rank = isSame ? 0 : rankOf(old.series_id, by.series_id)
      const isAtOnce = old.is_now && by.is_now
      const isInTime = isAtOnce || (!isSame && (old.is_now || by.is_now))
      if (rank === undefined || !isInTime) return []
      const distance = Math.abs(+old.at - +by.at)
      // An event that becomes a series keeps its id, and so does a series that becomes an event: no other one is meant.
      const isConverted = isSame && old.is_recurring !== by.is_recurring
      const limit = Math.min(limits.get(old.series_id)!, limits.get(by.series_id)!)
      return isConverted || distance <= limit ? [{ old, by, isAtOnce, rank, distance }] : []
    })
  })
  near.sort(
    (a, b) =>
      +b.isAtOnce - +a.isAtOnce ||
      a.rank - b.rank ||
      a.distance - b.distance ||
      +a.old.at - +b.old.at ||
      +a.by.at - +b.by.at,
  )
  const pairs = new Map<string, string>()
  const taken = new Set<string>()
  for (const { old, by } of near) {
    if (pairs.has(old.id) || taken.has(by.id)) continue
    pairs.set(old.id, by.id)
    taken.add(by.id)
  }
  return pairs
}

/** Of the places that the series had. */
function halfOfGap(events: readonly Place[]): number {
  const before = events.filter(({ is_recurring, is_gone, is_now }) => is_recurring && (is_gone || !is_now))
  const times = before.map(({ at }) => +at).sort((one, other) => one - other)
  const gaps = times.map((time, index) => (time - times[index - 1]!) / 2)
  return Math.min(MAX_DISTANCE_MS, ...gaps.filter((gap) => gap > 0))
}
