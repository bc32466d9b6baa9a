/** Webhooks of what happens in a meeting: events of each bot, gathered for as long as the endpoint chose. */
import { setTimeout as sleep } from 'node:timers/promises'
import { startLoop } from '@standin/wire/time/loop.ts'
import type { OutgoingMessage } from '../bots/change.ts'
import { messageId } from '../bots/messages/index.ts'
import { liveBody } from '../bots/messages/newer.ts'
import { liveWebhookOf } from '../bots/shown-events.ts'
import type { Log } from '../platform/ports.ts'
import { type Database, inTransaction } from '../store/database.ts'
import { type LiveNews, removeTaken, secondsToLive, takeLive } from '../store/webhooks/live.ts'
import { sendEach } from '../store/webhooks/messages.ts'

/** Of one transaction. */
const MAX_JOURNALS = 50
const MAX_EVENTS = 200
/** Between two looks if no hint comes. */
const QUIET_MS = 10_000
/** Hints come up to forty times a second. */
const MIN_PAUSE_MS = 50
const LOCKED_PAUSE_MS = 200
const AFTER_ERROR_MS = 1_000

export interface LiveWebhooks {
  /** Events were stored. */
  wake(): void
  close(): Promise<void>
}

export function startLiveWebhooks(database: Database, log: Log): LiveWebhooks {
  async function round(): Promise<number> {
    await sleep(MIN_PAUSE_MS)
    const seconds = await secondsToLive(database)
    if (seconds === null) return QUIET_MS
    if (seconds > 0) return Math.max(1, Math.min(QUIET_MS, seconds * 1000))
    // None: another process has locked what is due.
    return (await passOn(database)) > 0 ? 0 : LOCKED_PAUSE_MS
  }
  const loop = startLoop(round, {
    onError: (error) => log.error({ error: String(error) }, 'Live webhooks could not be made'),
    afterErrorMs: AFTER_ERROR_MS,
  })
  return { wake: () => loop.wake(), close: () => loop.close() }
}

/** The messages are made and the inbox emptied in one transaction, so each event is in one message. Resolves with the journals. */
async function passOn(database: Database): Promise<number> {
  return inTransaction(database, async (tx) => {
    const news = await takeLive(tx, MAX_JOURNALS, MAX_EVENTS)
    await sendEach(tx, news.flatMap(messagesOf))
    for (const [endpoint, ofEndpoint] of Map.groupBy(news, ({ endpointId }) => endpointId))
      await removeTaken(tx, endpoint, new Map(ofEndpoint.map(({ journalId, readTo }) => [journalId, readTo])))
    return news.length
  })
}

function messagesOf({ endpointId, bot, events }: LiveNews): (OutgoingMessage & { endpointId: string })[] {
  return [...Map.groupBy(events, liveWebhookOf)].flatMap(([event, ofKind]) =>
    event === undefined
      ? []
      : [
          {
            id: messageId([endpointId, event, ofKind[0]!.journalId, ofKind[0]!.seq].join('\n')),
            ...{ endpointId, event, channel: 'webhooks' as const, body: liveBody(bot, event, ofKind) },
            ...{ teamId: bot.team_id, botId: bot.id, orderingKey: bot.id, isCompat: bot.is_compat },
          },
        ],
  )
}
