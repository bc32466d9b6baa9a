/**
 * Evaluates every enabled rule, and fires those whose threshold is reached. Two evaluations at once fire a rule once.
 */
import { randomUUID } from 'node:crypto'
import { messageId } from '../bots/messages/index.ts'
import type { Log } from '../ports.ts'
import { noteSide, storeFiring } from '../store/alerts/firings.ts'
import { categoryOf } from '../store/alerts/rules.ts'
import { type MeasuredRule, measureRules } from '../store/alerts/values.ts'
import type { Database } from '../store/database.ts'
import { bodyOf, sentenceOf } from './sentences.ts'

/** Resolves with how many rules fired. One that cannot be fired does not hold back the others. */
export async function evaluateAlerts(db: Database, log: Log): Promise<{ fired: number }> {
  let fired = 0
  for (const rule of await measureRules(db)) {
    try {
      if (await evaluate(db, rule)) {
        fired++
        log.info({ rule: rule.id, team: rule.team_id, type: rule.alert_type, value: rule.value }, 'An alert fired')
      }
    } catch (error) {
      log.error({ rule: rule.id, error: String(error) }, 'An alert rule could not be evaluated')
    }
  }
  return { fired }
}

async function evaluate(db: Database, rule: MeasuredRule): Promise<boolean> {
  const { value, is_silent: isSilent } = rule
  const isMet = value !== null && isBeyond(rule, value)
  if (isMet && !isSilent) return fire(db, rule, { version: rule.version, value, suppressed: rule.suppressed })
  if (categoryOf(rule.alert_type) === 'threshold' && isMet !== rule.is_met) await noteSide(db, rule, isMet, isSilent)
  return false
}

function isBeyond({ operator, threshold }: Pick<MeasuredRule, 'operator' | 'threshold'>, value: number): boolean {
  return operator === '>=' ? value >= threshold : value <= threshold
}

/** Sends the value as it is now to the channels of a rule, enabled or not; at most twice a minute. */
export async function sendTestAlert(db: Database, ruleId: string): Promise<'sent' | 'not_found' | 'too_soon'> {
  const [rule] = await measureRules(db, ruleId)
  if (rule === undefined) return 'not_found'
  const isSent = await fire(db, rule, { version: null, value: rule.value, suppressed: 0 })
  return isSent ? 'sent' : 'too_soon'
}

function fire(
  db: Database,
  rule: MeasuredRule,
  { version, value, suppressed }: { version: number | null; value: number | null; suppressed: number },
): Promise<boolean> {
  const sentence = sentenceOf(rule, value, suppressed)
  const message = version === null ? `This is a test. ${sentence}` : sentence
  return storeFiring(db, {
    rule,
    version,
    messageId: messageId(`alert:${randomUUID()}`),
    value: value ?? 0,
    suppressed,
    message,
    body: (at) => bodyOf({ rule, value: value ?? 0, suppressed, message }, at),
  })
}
