/** Dispatchers of a world, and receivers of what they send. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type { Channel, OutgoingMessage } from '../../../control-plane/bots/change.ts'
import { messageId } from '../../../control-plane/bots/messages/index.ts'
import { createGuardedClient } from '../../../control-plane/platform/outgoing/guarded-client.ts'
import type { ArtifactLinks } from '../../../control-plane/platform/ports.ts'
import type { Database } from '../../../control-plane/store/database.ts'
import { insertMessages } from '../../../control-plane/store/webhooks/messages.ts'
import {
  type Dispatcher,
  type DispatcherSettings,
  startDispatcher,
} from '../../../control-plane/webhooks/dispatcher.ts'
import { emptyDatabase } from '../postgres.ts'
import { type Base, quiet, seals } from '../world.ts'
import { type Behavior, type Receiver, startReceiver } from './receiver.ts'

/** Lets the claims of dispatchers that are gone end now. The next dispatcher takes them back when it starts. */
export const expireClaims = ({ database }: { database: Database }) =>
  sql`update deliveries set lease_until = now() - interval '1 s' where state = 'sending'`.execute(database)

export function openWebhooks({ database, closes }: Base) {
  const client = createGuardedClient({ allowPrivate: true })
  const cleanups: (() => unknown)[] = []
  const endAll = async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
  }
  closes(() => client.close())
  closes(endAll)
  const signed: string[] = []
  const links: ArtifactLinks = {
    publicUrl: 'https://standin.test',
    sign: async (botId, name, seconds) => {
      signed.push(name)
      return `https://files.test/${botId}/${name}?seconds=${seconds}&n=${signed.length}`
    },
    olderTranscript: async () => [{ speaker: 'Ada' }],
  }

  return {
    client,
    links,
    async receiver(behavior?: Behavior): Promise<Receiver> {
      const receiver = await startReceiver(behavior)
      cleanups.push(receiver.close)
      return receiver
    },
    /** Messages about one bot, in order. */
    async send(
      teamId: string,
      botId: string,
      count: number,
      channel: Channel = 'webhooks',
      event = 'bot.status_change',
    ) {
      const messages = Array.from(
        { length: count },
        (_, n): OutgoingMessage => ({
          id: messageId(randomUUID()),
          channel,
          event,
          body: { event, data: { bot_id: botId, n }, extra: null },
          teamId,
          botId,
          orderingKey: botId,
          isCompat: false,
        }),
      )
      await database.transaction().execute((tx) => insertMessages(tx, messages))
      return messages
    },
    dispatcher(settings: Partial<DispatcherSettings> = {}): Dispatcher {
      const dispatcher = startDispatcher({
        database,
        client,
        seals,
        links,
        clock: Date,
        log: quiet,
        delays: [0.05, 0.1],
        ...settings,
      })
      cleanups.push(() => dispatcher.close(500))
      return dispatcher
    },
    async states(): Promise<Record<string, number>> {
      const { rows } = await sql<{ state: string; count: number }>`
        select state, count(*) as count from deliveries group by state`.execute(database)
      return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
    },
    /** Ends dispatchers and receivers, and empties the tables. */
    async reset() {
      await endAll()
      await emptyDatabase(database)
    },
  }
}
