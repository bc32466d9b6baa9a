/** The values that alert rules measure. Occurrences count from the moment when the service learned of them. */
import { type RawBuilder, sql } from 'kysely'
import { MICRO } from '../../bots/change.ts'
import type { Database, Tx } from '../database.ts'
import type { AlertType, Operator } from './rules.ts'

const CRASHED = ['OOM_KILLED', 'SIGTERM', 'FORCE_KILLED', 'GENERAL_ERROR']
const CREDENTIALS = [
  'SET_CONF_ID_AND_PWD_TOGETHER',
  'CANNOT_GET_JWT_TOKEN',
  'SDK_AUTH_FAILED',
  'CONF_ACCESS_TOKEN_ERROR',
  'CONF_OBF_TOKEN_ERROR',
]
/** Ends at a user's request. */
const WANTED = ['EXITING_MEETING_BEFORE_RECORD', 'BOT_ALREADY_EXISTS']

export interface MeasuredRule {
  id: string
  team_id: string
  name: string
  alert_type: AlertType
  operator: Operator
  threshold: number
  cooldown_minutes: number
  is_met: boolean
  version: number
  /** Null: there is no such value, such as the balance of a team without a limit. */
  value: number | null
  /** Occurrences, or returns to the threshold, while the rule was silent after its last firing. */
  suppressed: number
  /** The cooldown of the last firing is not over. */
  is_silent: boolean
}

export async function hasEnabledRules(db: Database): Promise<boolean> {
  const { rows } = await sql<{ is_there: boolean }>`
    select exists (select from alert_rules where is_enabled and deleted_at is null) as is_there`.execute(db)
  return rows[0]!.is_there
}

/** Enabled rules with their values, or the one that is named, enabled or not. */
export async function measureRules(db: Database | Tx, ruleId?: string): Promise<MeasuredRule[]> {
  const which = ruleId === undefined ? sql`rule.is_enabled` : sql`rule.id = ${ruleId}::uuid`
  const { rows } = await sql<MeasuredRule>`
    select rule.id, rule.team_id, rule.name, rule.alert_type, rule.operator, rule.threshold, rule.cooldown_minutes,
      rule.is_met, rule.version, measured.value, measured.suppressed, window_.is_silent
    from alert_rules rule
    join teams on teams.id = rule.team_id
    cross join lateral (
      select make_interval(mins => rule.cooldown_minutes) as length,
        coalesce(rule.last_fired_at + make_interval(mins => rule.cooldown_minutes) > now(), false) as is_silent
    ) window_
    cross join lateral (
      select
        case rule.alert_type
          when 'daily_bot_cap' then (
            select count(*) from bots where team_id = rule.team_id and queued_at > now() - interval '24 hours')::float8
          when 'token_balance' then teams.balance / ${MICRO}::float8
          when 'calendar_connections' then (
            select count(*) from calendars where team_id = rule.team_id and deleted_at is null)::float8
          else ${occurrences(sql`greatest(now() - window_.length, rule.counts_from, rule.last_fired_at)`, sql`now()`)}
        end as value,
        case
          when rule.last_fired_at is null then 0
          when rule.alert_type in ('daily_bot_cap', 'token_balance', 'calendar_connections') then rule.suppressed
          else ${occurrences(sql`rule.last_fired_at`, sql`rule.last_fired_at + window_.length`)}
        end::int as suppressed
    ) measured
    where rule.deleted_at is null and ${which}
    order by rule.number`.execute(db)
  return rows
}

/** How often the event of the rule happened after `from` and until `until`. */
function occurrences(from: RawBuilder<unknown>, until: RawBuilder<unknown>): RawBuilder<unknown> {
  const within = (column: string) => sql`${sql.raw(column)} > ${from} and ${sql.raw(column)} <= ${until}`
  return sql`case rule.alert_type
    when 'webhook_delivery_exhausted' then (
      select count(*) from deliveries delivery join endpoints on endpoints.id = delivery.endpoint_id
      where delivery.team_id = rule.team_id and delivery.state = 'failed' and ${within('delivery.finished_at')}
        and endpoints.alert_rule_id is null)
    when 'calendar_sync_error' then (
      select count(*) from calendars
      where team_id = rule.team_id and deleted_at is null and ${within('calendars.sync_failed_at')})
    when 'account_signed_out' then (
      select count(*) from accounts
      where team_id = rule.team_id and state = 'signed_out' and ${within('accounts.state_at')})
    else (
      select count(distinct bot.id) from bot_steps step join bots bot on bot.id = step.bot_id
      where (step.kind = 'ended'
          or (step.kind = 'status' and step.evidence ->> 'status' = 'failed' and step.evidence ? 'provider'))
        and ${within('step.stored_at')}
        and bot.team_id = rule.team_id and bot.status = 'failed'
        and rule.alert_type = case
          when step.kind = 'status' or bot.error_code = 'TRANSCRIPTION_FAILED' then 'transcription_failed'
          when bot.error_code = any (${CRASHED}::text[]) then 'bot_crash'
          when bot.error_code = any (${CREDENTIALS}::text[]) then 'conf_credential_error'
          when bot.error_code = any (${WANTED}::text[]) then null
          when bot.joined_at is null then 'bot_join_failed'
          else 'recording_failed' end
    ) + case when rule.alert_type = 'conf_credential_error' then (
      select count(*) from connections
      where team_id = rule.team_id and deleted_at is null and state = 'invalid' and ${within('connections.last_error_at')}
    ) else 0 end
  end::float8`
}
