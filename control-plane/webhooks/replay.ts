/** Messages that are sent again, or as a test, on request. */
import { randomUUID } from 'node:crypto'
import { messageId, messagesOfEnd } from '../bots/messages/index.ts'
import { sampleBody } from '../bots/messages/samples.ts'
import type { Seals } from '../platform/ports.ts'
import { logChange } from '../store/audit-log.ts'
import { readBotForMessages, usesCallback } from '../store/bots/messages.ts'
import type { Database } from '../store/database.ts'
import { sendAtOnce } from '../store/webhooks/deliveries.ts'
import { createEndpoint } from '../store/webhooks/endpoints.ts'
import { insertMessages, sendTo } from '../store/webhooks/messages.ts'

/** Sends a sample of an event to one endpoint. The id of its delivery; null without such an endpoint, or if it is disabled. */
export function sendTest(db: Database, endpointId: string, event = 'bot.status_change'): Promise<number | null> {
  return sendTo(db, endpointId, { id: messageId(`test:${randomUUID()}`), event, body: sampleBody(event) })
}

export { type ReplayFilter, replayDeliveries } from '../store/webhooks/deliveries.ts'

export type Resent = 'sent' | 'not_found' | 'not_ended'

/** The final message again under a new id, to all endpoints that want it now. Callbacks have `sendCallback`. */
export function resendEnd(db: Database, botId: string): Promise<Resent | 'no_receiver'> {
  return db.transaction().execute(async (tx) => {
    const bot = await readBotForMessages(tx, botId)
    if (bot === undefined) return 'not_found'
    if (bot.status !== 'completed' && bot.status !== 'failed') return 'not_ended'
    const messages = messagesOfEnd(bot, `resend:${randomUUID()}`).filter(({ channel }) => channel !== 'callback')
    await insertMessages(tx, messages)
    await logChange(tx, resent(bot))
    const count = await sendAtOnce(
      tx,
      messages.map(({ id }) => id),
    )
    return count > 0 ? 'sent' : 'no_receiver'
  })
}

const resent = ({ id, team_id: teamId }: { id: string; team_id: string }) =>
  ({ teamId, action: 'bot.resend_webhook', target: id }) as const

export interface CallbackTarget {
  url: string
  secret?: string | null
  method?: 'POST' | 'PUT'
}

/** The final message once more as a callback; `target` replaces the stored configuration for this one delivery. */
export function sendCallback(
  db: Database,
  seals: Seals,
  botId: string,
  target: CallbackTarget | null,
): Promise<Resent | 'not_configured'> {
  return db.transaction().execute(async (tx) => {
    const bot = await readBotForMessages(tx, botId)
    if (bot === undefined) return 'not_found'
    if (bot.status !== 'completed' && bot.status !== 'failed') return 'not_ended'
    const message = messagesOfEnd(bot, `callback:${randomUUID()}`).find(({ channel }) => channel === 'callback')
    if (message === undefined) return 'not_configured'
    if (target === null && !(await usesCallback(tx, botId))) return 'not_configured'
    await logChange(tx, resent(bot))
    if (target === null) {
      await insertMessages(tx, [message])
      await sendAtOnce(tx, [message.id])
      return 'sent'
    }
    // An empty list of events: only this message goes there.
    const { id } = await createEndpoint(tx, seals, {
      ...target,
      teamId: bot.team_id,
      botId,
      kind: 'callback',
      events: [],
    })
    const { id: messageIdOf, event, body, isCompat } = message
    await sendTo(tx, id, { id: messageIdOf, event, body, botId, isCompat })
    return 'sent'
  })
}
