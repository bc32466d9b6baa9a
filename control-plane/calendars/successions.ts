/**
 * Intents outlive the provider's ids: those for every occurrence of a series that another one replaces, as for "this and
 * following events", and those for an occurrence that continues under another id.
 */

import type { Seals } from '../platform/ports.ts'
import { botOfSeries, writeSeriesIntent } from '../store/calendars/intents.ts'
import { findSuccessions, moveIntents, readPlaces } from '../store/calendars/successions.ts'
import type { Tx } from '../store/database.ts'
import type { Difference } from './difference.ts'
import { continued } from './occurrences.ts'

/** How far apart the end of one series and the beginning of the next may come to light. */
const WITHIN_SECONDS = 600

/** Returns the events that continue others. */
export async function followSeries(
  tx: Tx,
  seals: Seals,
  calendarId: string,
  { news, revived }: Pick<Difference, 'news' | 'revived'>,
): Promise<string[]> {
  if (news.size === 0) return []
  const successions = await findSuccessions(tx, calendarId, WITHIN_SECONDS)
  const places = await readPlaces(tx, calendarId, revived, WITHIN_SECONDS)
  const ranks = new Map(successions.map((one) => [`${one.oldSeriesId} ${one.newSeriesId}`, one.isByName ? 1 : 2]))
  const pairs = continued(places, (old, by) => ranks.get(`${old} ${by}`))
  const seriesOf = new Map(places.map(({ id, series_id }) => [id, series_id]))
  for (const [seriesId, candidates] of Map.groupBy(successions, ({ newSeriesId }) => newSeriesId)) {
    // The one whose events it continues; for a part that begins after the known days, the last part before it.
    const old = [...pairs].find(([, by]) => seriesOf.get(by) === seriesId)?.[0]
    const chosen = candidates.find(({ oldSeriesId, needsNoEvent }) =>
      old === undefined ? needsNoEvent : oldSeriesId === seriesOf.get(old),
    )
    if (!chosen?.rule) continue
    const { rule } = chosen
    await writeSeriesIntent(tx, seals, {
      calendarId,
      seriesId,
      apiKeyId: rule.api_key_id,
      bot: botOfSeries(seals, rule),
    })
  }
  if (pairs.size > 0) await moveIntents(tx, pairs)
  return [...pairs.values()]
}
