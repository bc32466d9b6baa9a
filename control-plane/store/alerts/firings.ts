/** Firings of alert rules. A firing, its message and the deliveries to its channels are one transaction: an outbox. */
import { sql } from 'kysely'
import { jsonText } from '../bots/bots.ts'
import type { Database } from '../database.ts'
import { sendToChannels } from '../webhooks/messages.ts'

export interface NewFiring {
  rule: { id: string; team_id: string; name: string; alert_type: string; operator: string; threshold: number }
  /** The version that was measured. Null: a test, which no cooldown holds back and which starts none. */
  version: number | null
  messageId: string
  value: number
  suppressed: number
  message: string
  /** The body of the callback; `at` is the time of the firing. */
  body(at: Date): Record<string, unknown>
}

/** Between two tests of one rule: mail goes to unconfirmed addresses. */
export const BETWEEN_TESTS_SECONDS = 30

/**
 * False if the rule has fired, was changed or deleted since it was measured, or was tested just now: then nothing is
 * stored.
 */
export async function storeFiring(db: Database, firing: NewFiring): Promise<boolean> {
  const { rule, version } = firing
  return db.transaction().execute(async (tx) => {
    const isTest = version === null
    let query = tx
      .updateTable('alert_rules')
      .where('id', '=', rule.id)
      .where('deleted_at', 'is', null)
      .returning(sql<Date>`now()`.as('now'))
    if (isTest)
      query = query
        .set({ last_test_at: sql<Date>`now()` })
        .where(sql<boolean>`coalesce(last_test_at < now() - make_interval(secs => ${BETWEEN_TESTS_SECONDS}), true)`)
    else
      query = query
        .set({ last_fired_at: sql<Date>`now()`, is_met: true, suppressed: 0, version: sql<number>`version + 1` })
        .where('version', '=', version)
        .where('is_enabled', '=', true)
    const taken = await query.executeTakeFirst()
    if (taken === undefined) return false
    await tx
      .insertInto('messages')
      .values({
        id: firing.messageId,
        team_id: rule.team_id,
        event: 'alert',
        ordering_key: firing.messageId,
        body: jsonText(firing.body(taken.now)),
        generation: 'alerts',
      })
      .execute()
    await tx
      .insertInto('alert_firings')
      .values({
        rule_id: rule.id,
        team_id: rule.team_id,
        message_id: firing.messageId,
        rule_name: rule.name,
        alert_type: rule.alert_type,
        is_test: isTest,
        current_value: firing.value,
        operator: rule.operator,
        threshold_value: rule.threshold,
        suppressed_count: firing.suppressed,
        message: firing.message,
      })
      .execute()
    await sendToChannels(tx, rule.id, firing.messageId)
    return true
  })
}

/** Stores on which side of its threshold a value is. A return to the threshold during the cooldown is counted. */
export async function noteSide(
  db: Database,
  { id, version }: { id: string; version: number },
  isMet: boolean,
  isSilent: boolean,
): Promise<void> {
  await db
    .updateTable('alert_rules')
    .set({ is_met: isMet, ...(isMet && isSilent && { suppressed: sql<number>`suppressed + 1` }) })
    .where('id', '=', id)
    .where('version', '=', version)
    .where('is_met', '=', !isMet)
    .execute()
}

export interface ShownFiring {
  id: number
  rule_id: string
  rule_name: string
  alert_type: string
  is_test: boolean
  triggered_at: Date
  current_value: number
  operator: string
  threshold_value: number
  suppressed_count: number
  message: string
  sent: ShownSending[]
}

/** The sending to one channel, with the last answer. Times are ISO texts. */
interface ShownSending {
  delivery: number
  kind: 'alert' | 'mail'
  url: string
  state: string
  attempts: number
  next_at: string
  finished_at: string | null
  last_status: number | null
  last_error: string | null
  last_answer: string | null
}

/** Newest first; `before`: the number of the last one that was shown. */
export async function readFirings(
  db: Database,
  teamId: string,
  filter: { ruleId?: string | undefined; before?: number | undefined; limit: number },
): Promise<ShownFiring[]> {
  const { rows } = await sql<ShownFiring>`
    select firing.id, rule_id, rule_name, alert_type, is_test, triggered_at, current_value, operator, threshold_value,
      suppressed_count, firing.message, sending.sent
    from alert_firings firing
    cross join lateral (
      select coalesce(json_agg(json_build_object('delivery', delivery.id, 'kind', endpoint.kind, 'url', endpoint.url,
          'state', delivery.state, 'attempts', delivery.attempts, 'next_at', delivery.next_at,
          'finished_at', delivery.finished_at, 'last_status', last.status, 'last_error', last.error,
          'last_answer', left(last.answer, 500)) order by delivery.id), '[]') as sent
      from deliveries delivery
      join endpoints endpoint on endpoint.id = delivery.endpoint_id
      left join lateral (
        select status, error, answer from delivery_attempts where delivery_id = delivery.id order by id desc limit 1
      ) last on true
      where delivery.message_id = firing.message_id
    ) sending
    where team_id = ${teamId}
      and (${filter.ruleId ?? null}::uuid is null or rule_id = ${filter.ruleId ?? null}::uuid)
      and (${filter.before ?? null}::bigint is null or firing.id < ${filter.before ?? null}::bigint)
    order by firing.id desc
    limit ${filter.limit}`.execute(db)
  return rows
}
