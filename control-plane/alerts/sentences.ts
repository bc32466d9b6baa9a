/** The text of a firing, in words and as the body of its callback. */
import { type AlertType, categoryOf } from '../store/alerts/rules.ts'
import type { MeasuredRule } from '../store/alerts/values.ts'

/** Words for one and for several, by operational type. */
const HAPPENED: Readonly<Partial<Record<AlertType, readonly [string, string]>>> = {
  bot_join_failed: ['bot did not get into its meeting', 'bots did not get into their meetings'],
  recording_failed: ['recording failed', 'recordings failed'],
  conf_credential_error: ['time credentials of Zoom were refused', 'times credentials of Zoom were refused'],
  bot_crash: ['bot crashed', 'bots crashed'],
  transcription_failed: ['transcription failed', 'transcriptions failed'],
  account_signed_out: ['account of bots was signed out', 'accounts of bots were signed out'],
  calendar_sync_error: ['calendar could not be read', 'calendars could not be read'],
  webhook_delivery_exhausted: ['webhook was given up', 'webhooks were given up'],
}
const VALUES: Readonly<Partial<Record<AlertType, string>>> = {
  daily_bot_cap: 'Bots within the last 24 hours',
  token_balance: 'Balance in tokens',
  calendar_connections: 'Connected calendars',
}

/** The form of the API: at most four decimals. */
const rounded = (value: number): number => Math.round(value * 10_000) / 10_000

/** One or two sentences, without text that people wrote. `value` is null only for a test of the rule. */
export function sentenceOf(rule: MeasuredRule, value: number | null, suppressed: number): string {
  if (value === null) return 'The balance has no limit, so this rule does not fire.'
  const words = HAPPENED[rule.alert_type]
  const limit = `threshold: ${rule.operator === '>=' ? 'at least' : 'at most'} ${rounded(rule.threshold)}`
  const fact =
    words === undefined
      ? `${VALUES[rule.alert_type] ?? rule.alert_type}: ${rounded(value)} (${limit}).`
      : `${rounded(value)} ${words[value === 1 ? 0 : 1]} within ${minutes(rule.cooldown_minutes)} (${limit}).`
  if (suppressed === 0) return fact
  const silent =
    words === undefined
      ? `The value came to the threshold ${times(suppressed)} while the alert was silent.`
      : `${suppressed} of this kind came while the alert was silent.`
  return `${fact} ${silent}`
}

const minutes = (count: number) => (count === 1 ? 'one minute' : `${count} minutes`)
const times = (count: number) => (count === 1 ? 'once' : `${count} times`)

export interface Fired {
  rule: MeasuredRule
  value: number
  suppressed: number
  message: string
}

/** The body of the callback. */
export function bodyOf({ rule, value, suppressed, message }: Fired, at: Date): Record<string, unknown> {
  return {
    alert_rule_id: rule.id,
    alert_rule_name: rule.name,
    alert_type: rule.alert_type,
    category: categoryOf(rule.alert_type),
    triggered_at: at.toISOString(),
    current_value: rounded(value),
    threshold_value: rounded(rule.threshold),
    suppressed_count: suppressed,
    message,
  }
}
