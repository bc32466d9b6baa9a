/** Alert rules of teams. A rule sends to endpoints of the kinds `alert` and `mail`. */
import { sql } from 'kysely'
import type { Seals } from '../../ports.ts'
import type { AlertRuleRow } from '../../rows/alert-tables.ts'
import { logChange } from '../audit-log.ts'
import type { Database, Tx } from '../database.ts'
import { createEndpoint } from '../webhooks/endpoints.ts'

/** Count what happened within the cooldown. */
export const OPERATIONAL_TYPES = [
  'bot_join_failed',
  'recording_failed',
  'conf_credential_error',
  'bot_crash',
  'transcription_failed',
  'calendar_sync_error',
  'account_signed_out',
  'webhook_delivery_exhausted',
] as const
/** Compare a value as it is now. */
const THRESHOLD_TYPES = ['daily_bot_cap', 'token_balance', 'calendar_connections'] as const
export const ALERT_TYPES = [...OPERATIONAL_TYPES, ...THRESHOLD_TYPES] as const
export type AlertType = (typeof ALERT_TYPES)[number]
export const OPERATORS = ['>=', '<='] as const
export type Operator = (typeof OPERATORS)[number]

export const MAX_RULES = 50
export const MAX_EMAILS = 10
/** Minutes. */
export const COOLDOWN = { least: 1, most: 1440, usual: 15 } as const

export type Category = 'operational' | 'threshold'
export function categoryOf(type: string): Category {
  return (THRESHOLD_TYPES as readonly string[]).includes(type) ? 'threshold' : 'operational'
}

export interface RuleFields {
  name: string
  operator: Operator
  threshold: number
  cooldownMinutes: number
  isEnabled: boolean
}

/** Where firings go. */
export interface Channels {
  callbackUrl: string | null
  /** `undefined`: as it is; only with a callback. */
  callbackSecret?: string | null | undefined
  emails: readonly string[]
}

export interface ShownRule extends AlertRuleRow {
  callback_url: string | null
  has_secret: boolean
  emails: string[]
}

const MAILTO = 'mailto:'

/** Oldest first. */
export async function listRules(db: Database | Tx, teamId: string, ruleId?: string): Promise<ShownRule[]> {
  let query = db
    .selectFrom('alert_rules')
    .selectAll()
    .select(
      sql<{ kind: string; url: string; has_secret: boolean }[]>`(
        select coalesce(json_agg(json_build_object('kind', kind, 'url', url, 'has_secret', secret is not null)
          order by kind, url), '[]')
        from endpoints where alert_rule_id = alert_rules.id and disabled_at is null)`.as('channels'),
    )
    .where('team_id', '=', teamId)
    .where('deleted_at', 'is', null)
  if (ruleId !== undefined) query = query.where('id', '=', ruleId)
  const rows = await query.orderBy('number').execute()
  return rows.map(({ channels, ...rule }) => {
    const callback = channels.find(({ kind }) => kind === 'alert')
    return {
      ...rule,
      callback_url: callback?.url ?? null,
      has_secret: callback?.has_secret ?? false,
      emails: channels.filter(({ kind }) => kind === 'mail').map(({ url }) => addressOf(url)),
    }
  })
}

/** The address of an endpoint of the kind `mail`. */
export const addressOf = (mailto: string): string => mailto.slice(MAILTO.length)

/** Null if the team has as many rules as it may. */
export async function createRule(
  db: Database,
  seals: Seals,
  rule: RuleFields & Channels & { teamId: string; type: AlertType },
): Promise<string | null> {
  return db.transaction().execute(async (tx) => {
    // Two requests that make the last rule at once wait for each other.
    await tx.selectFrom('teams').select('id').where('id', '=', rule.teamId).forUpdate().execute()
    const { count } = await tx
      .selectFrom('alert_rules')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('team_id', '=', rule.teamId)
      .where('deleted_at', 'is', null)
      .executeTakeFirstOrThrow()
    if (count >= MAX_RULES) return null
    const { id } = await tx
      .insertInto('alert_rules')
      .values({ team_id: rule.teamId, alert_type: rule.type, ...columnsOf(rule) })
      .returning('id')
      .executeTakeFirstOrThrow()
    await setChannels(tx, seals, { id, teamId: rule.teamId }, rule)
    await logChange(tx, { teamId: rule.teamId, action: 'alert_rule.create', target: id, details: { type: rule.type } })
    return id
  })
}

/** False if the team has no such rule. A rule that is enabled again counts from now on. */
export async function changeRule(
  db: Database,
  seals: Seals,
  { id, teamId }: { id: string; teamId: string },
  change: RuleFields & Channels,
): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('alert_rules')
      .set({
        ...columnsOf(change),
        counts_from: sql<Date>`case when ${change.isEnabled} and not is_enabled then now() else counts_from end`,
        // A value beyond a new threshold counts as having reached it now.
        is_met: sql<boolean>`is_met and threshold = ${change.threshold} and operator = ${change.operator} and is_enabled`,
        version: sql<number>`version + 1`,
        updated_at: sql<Date>`now()`,
      })
      .where('id', '=', id)
      .where('team_id', '=', teamId)
      .where('deleted_at', 'is', null)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return false
    await setChannels(tx, seals, { id, teamId }, change)
    await logChange(tx, { teamId, action: 'alert_rule.change', target: id })
    return true
  })
}

/** Its firings stay; unsent alerts are dropped. False if the team has no such rule. */
export async function deleteRule(db: Database, { id, teamId }: { id: string; teamId: string }): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('alert_rules')
      .set({ deleted_at: sql<Date>`now()`, version: sql<number>`version + 1` })
      .where('id', '=', id)
      .where('team_id', '=', teamId)
      .where('deleted_at', 'is', null)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return false
    const channels = await tx
      .selectFrom('endpoints')
      .select('id')
      .where('alert_rule_id', '=', id)
      .where('disabled_at', 'is', null)
      .execute()
    await closeChannels(
      tx,
      channels.map((channel) => channel.id),
    )
    await logChange(tx, { teamId, action: 'alert_rule.delete', target: id })
    return true
  })
}

function columnsOf({ name, operator, threshold, cooldownMinutes, isEnabled }: RuleFields) {
  return { name, operator, threshold, cooldown_minutes: cooldownMinutes, is_enabled: isEnabled }
}

/**
 * A changed address is a new endpoint, so that the history of the old one stays true. It needs the secret again: a
 * person who may change the address must not receive a secret that another person set.
 */
async function setChannels(
  tx: Tx,
  seals: Seals,
  { id, teamId }: { id: string; teamId: string },
  { callbackUrl, callbackSecret, emails }: Channels,
): Promise<void> {
  const open = await tx
    .selectFrom('endpoints')
    .select(['id', 'kind', 'url'])
    .where('alert_rule_id', '=', id)
    .where('disabled_at', 'is', null)
    .forUpdate()
    .execute()
  const before = open.find(({ kind }) => kind === 'alert')
  const wanted = new Set(emails.map((email) => MAILTO + email))
  const keepsCallback = before !== undefined && before.url === callbackUrl && callbackSecret === undefined
  const isKept = ({ kind, url }: (typeof open)[number]) => (kind === 'alert' ? keepsCallback : wanted.has(url))
  await closeChannels(
    tx,
    open.filter((channel) => !isKept(channel)).map((channel) => channel.id),
  )
  if (callbackUrl !== null && !keepsCallback) {
    const secret = callbackSecret ?? null
    await createEndpoint(tx, seals, { teamId, kind: 'alert', alertRuleId: id, url: callbackUrl, secret })
  }
  const known = new Set(open.map(({ url }) => url))
  for (const url of wanted)
    if (!known.has(url)) await createEndpoint(tx, seals, { teamId, kind: 'mail', alertRuleId: id, url })
}

async function closeChannels(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await sql`
    with closed as (
      update endpoints set disabled_at = now(), disabled_reason = 'replaced', secret = null
      where id = any (${ids}::uuid[]) returning id
    )
    update deliveries set state = 'dropped', finished_at = now()
    where endpoint_id in (select id from closed) and state = 'waiting'`.execute(tx)
}
