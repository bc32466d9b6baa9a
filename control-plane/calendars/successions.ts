/**
 * Intents outlive the provider's ids: those for every occurrence of a series that another one replaces, as for "this and
 * following events", and those for an occurrence that continues under another id.
 */

import type { Seals } from '../ports.ts'
import { botOfSeries, writeSeriesIntent } from '../store/calendars/intents.ts'
import {
  countUpcoming,
  findSuccessions,
  markLost,
  moveIntents,
  type PlacedEvent,
  readPlaces,
} from '../store/calendars/successions.ts'
import type { Tx } from '../store/database.ts'
import { continued } from './occurrences.ts'
import type { StoredDifference } from './sync.ts'

/** How far apart the end of one series and the beginning of the next may come to light. */
const WITHIN_SECONDS = 600
/** One that is missing is an exception of its series. */
const SEVERAL = 2

/** Returns the events that continue others. */
export async function followSeries(
  tx: Tx,
  seals: Seals,
  calendarId: string,
  { lost, appeared, seriesIds }: Pick<StoredDifference, 'lost' | 'appeared' | 'seriesIds'>,
): Promise<string[]> {
  if (lost.size === 0 && appeared.size === 0) return []
  const losers = idsOf([...lost.keys()], seriesIds)
  const left = await countUpcoming(tx, losers)
  const isLost = (id: string, count: number) => count >= SEVERAL || (left.get(id) ?? 0) === 0
  await markLost(
    tx,
    [...lost].flatMap(([providerId, count]) => {
      const id = seriesIds.get(providerId)
      return id !== undefined && isLost(id, count) ? [id] : []
    }),
  )
  const predecessors = new Map<string, string>()
  for (const { oldSeriesId, newSeriesId: seriesId, rule } of await findSuccessions(tx, calendarId, WITHIN_SECONDS)) {
    predecessors.set(seriesId, oldSeriesId)
    if (rule === null) continue
    const bot = botOfSeries(seals, rule)
    await writeSeriesIntent(tx, seals, { calendarId, seriesId, apiKeyId: rule.api_key_id, bot })
  }
  const touched = [
    ...losers,
    ...idsOf([...appeared.values()], seriesIds),
    ...predecessors.keys(),
    ...predecessors.values(),
  ]
  const pairs = continuing(await readPlaces(tx, [...new Set(touched)], WITHIN_SECONDS), appeared, predecessors)
  if (pairs.size > 0) await moveIntents(tx, pairs)
  return [...pairs.values()]
}

/** By the id of the old event. New events of a series that took another's place, and lost nothing itself, continue that. */
function continuing(
  places: readonly PlacedEvent[],
  appeared: StoredDifference['appeared'],
  predecessors: ReadonlyMap<string, string>,
): Map<string, string> {
  const losers = new Set(places.flatMap(({ series_id, vanished_at }) => (vanished_at === null ? [] : series_id)))
  const isFresh = ({ id, series_id, is_new, is_cancelled }: PlacedEvent) =>
    !is_cancelled && (appeared.has(id) || (is_new && predecessors.has(series_id) && !losers.has(series_id)))
  const freshOf = Map.groupBy(places.filter(isFresh), ({ series_id: id }) =>
    losers.has(id) ? id : (predecessors.get(id) ?? id),
  )
  return new Map(
    [...Map.groupBy(places, ({ series_id }) => series_id)].flatMap(([seriesId, events]) => {
      const latest = Math.max(...events.map(({ vanished_at }) => vanished_at?.getTime() ?? 0))
      const vanished = events.filter(({ vanished_at }) => vanished_at?.getTime() === latest)
      const kept = events.filter((event) => !event.is_removed && !isFresh(event))
      return [...continued(vanished, kept, freshOf.get(seriesId) ?? [])]
    }),
  )
}

function idsOf(providerIds: readonly string[], seriesIds: StoredDifference['seriesIds']): string[] {
  return providerIds.flatMap((providerId) => seriesIds.get(providerId) ?? [])
}
