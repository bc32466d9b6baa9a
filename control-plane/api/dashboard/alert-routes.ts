/** Alert rules of the team, and the alerts that they triggered. */
import { z } from 'zod'
import { BETWEEN_TESTS_SECONDS, readFirings } from '../../store/alerts/firings.ts'
import {
  ALERT_TYPES,
  addressOf,
  COOLDOWN,
  categoryOf,
  changeRule,
  createRule,
  deleteRule,
  listRules,
  MAX_EMAILS,
  MAX_RULES,
  OPERATORS,
  type ShownRule,
} from '../../store/alerts/rules.ts'
import type { ApiDependencies } from '../dependencies.ts'
import { refusals } from '../http/errors.ts'
import { type App, callerOf } from '../http/generation.ts'
import { at, done, limit, message, succeeded, success, time, uuid } from '../v2/common.ts'
import { oneLine, rowNumber } from './fields.ts'
import { email } from './sign-in-routes.ts'

const MAX_SECRET_LENGTH = 256

const ruleSchema = z
  .object({
    alert_rule_id: z.uuid(),
    name: z.string(),
    alert_type: z.string(),
    category: z.enum(['operational', 'threshold']),
    operator: z.enum(OPERATORS),
    threshold: z.number(),
    cooldown_minutes: z.int(),
    is_enabled: z.boolean(),
    callback_url: z.string().nullable(),
    has_callback_secret: z.boolean().describe('The secret itself is never answered.'),
    emails: z.array(z.string()),
    last_fired_at: time.nullable(),
    created_at: time,
  })
  .meta({ id: 'AlertRule' })
const mailSchema = z.object({ is_configured: z.boolean() })
const firingSchema = z
  .object({
    firing: z.int(),
    alert_rule_id: z.uuid(),
    alert_rule_name: z.string(),
    alert_type: z.string(),
    category: z.enum(['operational', 'threshold']),
    is_test: z.boolean(),
    triggered_at: time,
    current_value: z.number(),
    operator: z.string(),
    threshold_value: z.number(),
    suppressed_count: z.int(),
    message: z.string(),
    sent: z.array(
      z.object({
        delivery: z.int(),
        channel: z.enum(['callback', 'mail']),
        to: z.string(),
        state: z.string(),
        attempts: z.int(),
        next_at: time,
        finished_at: time.nullable(),
        last_status: z.int().nullable(),
        last_error: z.string().nullable(),
        last_answer: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'AlertFiring' })

const fields = {
  name: oneLine,
  operator: z.enum(OPERATORS),
  threshold: z.number().min(1).max(1e9),
  cooldown_minutes: z.int().min(COOLDOWN.least).max(COOLDOWN.most),
  is_enabled: z.boolean(),
  callback_url: z.string().min(1).max(2048).nullable(),
  callback_secret: z
    .string()
    .min(1)
    .max(MAX_SECRET_LENGTH)
    .regex(/^[!-~]+$/, { error: 'must not contain spaces or characters beyond ASCII' })
    .nullable(),
  emails: z.array(email).max(MAX_EMAILS),
}
const newRule = z
  .strictObject({
    ...fields,
    alert_type: z.enum(ALERT_TYPES),
    operator: fields.operator.default('>='),
    cooldown_minutes: fields.cooldown_minutes.default(COOLDOWN.usual),
    is_enabled: fields.is_enabled.default(true),
    callback_url: fields.callback_url.default(null),
    callback_secret: fields.callback_secret.default(null),
    emails: fields.emails.default([]),
  })
  .meta({ id: 'NewAlertRule' })
const change = z.strictObject(fields).partial()
const params = z.strictObject({ alert_rule_id: uuid })
const oneRule = success(z.object({ alert_rule_id: z.uuid() }))

export function alertRoutes(app: App, { database, seals, client, alerts }: ApiDependencies): void {
  app.get(
    '/alert-rules',
    { schema: { response: { 200: success(z.object({ rules: z.array(ruleSchema), mail: mailSchema })) } } },
    async (request) => {
      const rules = await listRules(database, callerOf(request).teamId)
      return succeeded({ rules: rules.map(shown), mail: { is_configured: alerts.sendsMail } })
    },
  )

  app.post('/alert-rules', { schema: { body: newRule, response: { 201: oneRule } } }, async (request, reply) => {
    const { body } = request
    const { teamId } = callerOf(request)
    const rule = {
      name: body.name,
      operator: body.operator,
      threshold: body.threshold,
      cooldownMinutes: body.cooldown_minutes,
      isEnabled: body.is_enabled,
      callbackUrl: body.callback_url,
      callbackSecret: body.callback_secret,
      emails: distinct(body.emails),
    }
    check({ ...rule, type: body.alert_type }, null)
    const id = await createRule(database, seals, { ...rule, teamId, type: body.alert_type })
    if (id === null) throw refusals.tooManyRules(MAX_RULES)
    reply.code(201)
    return succeeded({ alert_rule_id: id })
  })

  app.patch(
    '/alert-rules/:alert_rule_id',
    { schema: { params, body: change, response: { 200: oneRule } } },
    async (request) => {
      const { body } = request
      const before = await ownRule(request.params.alert_rule_id, callerOf(request).teamId)
      const after = {
        name: body.name ?? before.name,
        operator: body.operator ?? (before.operator as (typeof OPERATORS)[number]),
        threshold: body.threshold ?? before.threshold,
        cooldownMinutes: body.cooldown_minutes ?? before.cooldown_minutes,
        isEnabled: body.is_enabled ?? before.is_enabled,
        callbackUrl: body.callback_url === undefined ? before.callback_url : body.callback_url,
        callbackSecret: body.callback_secret,
        emails: distinct(body.emails ?? before.emails),
      }
      check({ ...after, type: before.alert_type }, before)
      const place = { id: before.id, teamId: before.team_id }
      if (!(await changeRule(database, seals, place, after))) throw refusals.unknown('alert rule')
      return succeeded({ alert_rule_id: before.id })
    },
  )

  app.delete('/alert-rules/:alert_rule_id', { schema: { params, response: { 200: message } } }, async (request) => {
    const place = { id: request.params.alert_rule_id, teamId: callerOf(request).teamId }
    if (!(await deleteRule(database, place))) throw refusals.unknown('alert rule')
    return done('The rule is deleted')
  })

  const test = { config: { changes: 'never' }, schema: { params, response: { 200: message } } } as const
  app.post('/alert-rules/:alert_rule_id/test', test, async (request) => {
    const { id } = await ownRule(request.params.alert_rule_id, callerOf(request).teamId)
    const outcome = await alerts.sendTest(id)
    if (outcome === 'too_soon') throw refusals.tooManyTests(BETWEEN_TESTS_SECONDS)
    if (outcome === 'not_found') throw refusals.unknown('alert rule')
    return done('Test alert sent')
  })

  app.get(
    '/alert-firings',
    {
      schema: {
        querystring: z.strictObject({
          alert_rule_id: uuid.optional(),
          before: rowNumber.optional(),
          limit: limit(100, 25),
        }),
        response: { 200: success(z.array(firingSchema)) },
      },
    },
    async (request) => {
      const { alert_rule_id: ruleId, before, limit: count } = request.query
      const firings = await readFirings(database, callerOf(request).teamId, { ruleId, before, limit: count })
      return succeeded(
        firings.map(({ id, rule_id, rule_name, sent, triggered_at, ...firing }) => ({
          ...firing,
          firing: id,
          alert_rule_id: rule_id,
          alert_rule_name: rule_name,
          category: categoryOf(firing.alert_type),
          triggered_at: triggered_at.toISOString(),
          sent: sent.map(({ kind, url, next_at, finished_at, ...one }) => ({
            ...one,
            channel: kind === 'mail' ? ('mail' as const) : ('callback' as const),
            to: kind === 'mail' ? addressOf(url) : url,
            next_at: new Date(next_at).toISOString(),
            finished_at: finished_at && new Date(finished_at).toISOString(),
          })),
        })),
      )
    },
  )

  async function ownRule(id: string, teamId: string): Promise<ShownRule> {
    const [rule] = await listRules(database, teamId, id)
    if (rule === undefined) throw refusals.unknown('alert rule')
    return rule
  }

  interface Checked {
    type: string
    operator: string
    threshold: number
    callbackUrl: string | null
    callbackSecret: string | null | undefined
    emails: readonly string[]
  }

  function check(rule: Checked, before: ShownRule | null): void {
    if (categoryOf(rule.type) === 'operational') {
      if (!Number.isInteger(rule.threshold))
        throw refusals.validation('body/threshold must be a whole number for this alert type')
      if (rule.operator !== '>=') throw refusals.validation('body/operator must be >= for this alert type')
    }
    if (rule.callbackUrl === null && rule.emails.length === 0)
      throw refusals.validation('body needs a callback_url or at least one of emails')
    if (rule.callbackUrl === null && rule.callbackSecret)
      throw refusals.validation('body/callback_secret needs a callback_url')
    if (rule.callbackUrl !== null) {
      const problem = client.problemOf(rule.callbackUrl)
      if (problem !== null) throw refusals.validation(`body/callback_url: ${problem}`)
    }
    const isNew = rule.emails.some((address) => !before?.emails.includes(address))
    if (isNew && !alerts.sendsMail)
      throw refusals.validation('body/emails: no mail server is configured, so this service cannot send mail')
  }
}

/** Two spellings of one address get one mail. */
function distinct(emails: readonly string[]): string[] {
  return [...new Map(emails.map((address) => [address.toLowerCase(), address])).values()]
}

function shown(rule: ShownRule) {
  return {
    alert_rule_id: rule.id,
    name: rule.name,
    alert_type: rule.alert_type,
    category: categoryOf(rule.alert_type),
    operator: rule.operator as (typeof OPERATORS)[number],
    threshold: rule.threshold,
    cooldown_minutes: rule.cooldown_minutes,
    is_enabled: rule.is_enabled,
    callback_url: rule.callback_url,
    has_callback_secret: rule.has_secret,
    emails: rule.emails,
    last_fired_at: at(rule.last_fired_at),
    created_at: rule.created_at.toISOString(),
  }
}
