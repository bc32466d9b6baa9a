/**
 * A rule for every occurrence continues when the provider replaces its series by another one, as it does for "this and
 * following events".
 */

import type { Seals } from '../ports.ts'
import { botOfSeries, countUpcoming, findSuccessions, markLost, writeSeriesIntent } from '../store/calendars/intents.ts'
import type { Tx } from '../store/database.ts'
import type { StoredDifference } from './sync.ts'

/** How far apart the end of one series and the beginning of the next may come to light. */
const WITHIN_SECONDS = 600
/** One that is missing is an exception of its series. */
const SEVERAL = 2

export async function followSeries(
  tx: Tx,
  seals: Seals,
  calendarId: string,
  { lost, seriesIds }: Pick<StoredDifference, 'lost' | 'seriesIds'>,
): Promise<void> {
  const left = await countUpcoming(tx, idsOf([...lost.keys()], seriesIds))
  const isLost = (id: string, count: number) => count >= SEVERAL || (left.get(id) ?? 0) === 0
  const losers = [...lost].flatMap(([providerId, count]) => {
    const id = seriesIds.get(providerId)?.id
    return id !== undefined && isLost(id, count) ? [id] : []
  })
  await markLost(tx, losers)
  const isAnyNew = [...seriesIds.values()].some(({ isNew }) => isNew)
  if (!isAnyNew && losers.length === 0) return
  for (const { intent, newSeriesId } of await findSuccessions(tx, calendarId, WITHIN_SECONDS))
    await writeSeriesIntent(tx, seals, {
      calendarId,
      seriesId: newSeriesId,
      apiKeyId: intent.api_key_id,
      bot: botOfSeries(seals, intent),
    })
}

function idsOf(providerIds: readonly string[], seriesIds: StoredDifference['seriesIds']): string[] {
  return providerIds.flatMap((providerId) => seriesIds.get(providerId)?.id ?? [])
}
