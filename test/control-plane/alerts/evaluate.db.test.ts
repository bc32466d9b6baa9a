/** Every type of alert rule against a real database: what is counted, when it fires, and when it is silent. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sendTestAlert } from '../../../control-plane/alerts/evaluate.ts'
import { type AlertType, changeRule, deleteRule, OPERATIONAL_TYPES } from '../../../control-plane/store/alerts/rules.ts'
import { measureRules } from '../../../control-plane/store/alerts/values.ts'
import { setTeam } from '../../../control-plane/store/teams/teams.ts'
import { emptyDatabase } from '../postgres.ts'
import { seals } from '../webhooks/world.ts'
import { type AlertWorld, CALLBACK, openAlertWorld } from './world.ts'

let world: AlertWorld
let team: string
beforeAll(async () => {
  world = await openAlertWorld()
})
beforeEach(async () => {
  await emptyDatabase(world.database)
  team = await world.team()
})
afterAll(() => world.close())

async function invalidConnection(): Promise<void> {
  await sql`
    insert into connections (id, team_id, name, type, client_id, client_secret, user_id, state, last_error_at)
    values (${randomUUID()}, ${team}, 'C', 'user', 'c', 'x', 'u', 'invalid', now())`.execute(world.database)
}

async function failedRetranscription(): Promise<void> {
  const id = await world.bot(team, { status: 'failed', error_code: 'TRANSCRIPTION_FAILED' })
  const evidence = JSON.stringify({ status: 'failed', provider: 'deepgram' })
  await world.database
    .insertInto('bot_steps')
    .values({ bot_id: id, at: new Date(0), kind: 'status', evidence })
    .execute()
}

const signedOutAccount = () =>
  sql`
  insert into accounts (id, team_id, platform, label, pool, max_meetings, session, state, state_at)
  values (${randomUUID()}, ${team}, 'meet', 'A', 'default', 1, 'x', 'signed_out', now())`.execute(world.database)

const OCCURRENCES: [AlertType, string, () => Promise<unknown>][] = [
  ['bot_join_failed', 'was refused by the host', () => world.failedBot(team, 'BOT_NOT_ACCEPTED')],
  ['bot_join_failed', 'could not be started', () => world.failedBot(team, 'INTERNAL_ERROR')],
  ['bot_join_failed', 'was refused for want of tokens', () => world.failedBot(team, 'INSUFFICIENT_TOKENS')],
  ['recording_failed', 'broke in the meeting', () => world.failedBot(team, 'INTERNAL_ERROR', { hasJoined: true })],
  ['bot_crash', 'ran out of memory', () => world.failedBot(team, 'OOM_KILLED', { hasJoined: true })],
  ['bot_crash', 'was killed', () => world.failedBot(team, 'FORCE_KILLED')],
  ['conf_credential_error', 'had a refused token', () => world.failedBot(team, 'CONF_OBF_TOKEN_ERROR')],
  ['conf_credential_error', 'a stored credential was refused', () => invalidConnection()],
  [
    'transcription_failed',
    'has no transcript',
    () => world.failedBot(team, 'TRANSCRIPTION_FAILED', { hasJoined: true }),
  ],
  ['transcription_failed', 'got no new transcript', () => failedRetranscription()],
  ['calendar_sync_error', 'a calendar was not read', () => world.calendar(team, { failed: true })],
  ['account_signed_out', 'an account was signed out', () => signedOutAccount()],
  ['webhook_delivery_exhausted', 'a webhook was given up', () => world.exhaustedWebhook(team)],
]

describe('what is counted', () => {
  test.each(OCCURRENCES)('%s: %s, and no other type counts it', async (type, _what, happen) => {
    for (const one of OPERATIONAL_TYPES) await world.rule(team, one)
    const stranger = await world.team()
    await world.rule(stranger, type)
    expect(await world.evaluate()).toBe(0)
    await happen()
    expect(await world.evaluate()).toBe(1)
    const [firing] = await world.firings(team)
    expect(firing).toMatchObject({ alert_type: type, current_value: 1, threshold_value: 1, suppressed_count: 0 })
    expect(firing!.message).toMatch(/^1 .+ within 15 minutes \(threshold: at least 1\)\.$/)
    expect(await world.firings(stranger)).toEqual([])
    expect(await world.evaluate()).toBe(0)
  })

  test('bots that were stopped before they recorded, completed ones, and webhooks of alerts do not count', async () => {
    for (const type of OPERATIONAL_TYPES) await world.rule(team, type)
    await world.failedBot(team, 'EXITING_MEETING_BEFORE_RECORD')
    await world.failedBot(team, 'BOT_ALREADY_EXISTS')
    await world.failedBot(team, 'API_REQUEST', { hasJoined: true, status: 'completed' })
    const [rule] = await measureRules(world.database)
    await sendTestAlert(world.database, rule!.id)
    await sql`update deliveries set state = 'failed', finished_at = now()`.execute(world.database)
    expect(await world.evaluate()).toBe(0)
  })

  test('the daily number of bots, and connected calendars', async () => {
    await world.rule(team, 'daily_bot_cap', { threshold: 2 })
    await world.rule(team, 'calendar_connections', { threshold: 1 })
    await world.bot(team, { queued_at: new Date() })
    await world.bot(team, { queued_at: new Date(Date.now() - 25 * 3_600_000) })
    expect(await world.evaluate()).toBe(0)
    await world.bot(team, { queued_at: new Date() })
    await world.calendar(team)
    expect(await world.evaluate()).toBe(2)
    expect((await world.firings(team)).map(({ message }) => message)).toEqual([
      'Connected calendars: 1 (threshold: at least 1).',
      'Bots within the last 24 hours: 2 (threshold: at least 2).',
    ])
  })

  test('the balance in tokens; an unlimited one never fires', async () => {
    await world.rule(team, 'token_balance', { operator: '<=', threshold: 10 })
    expect(await world.evaluate()).toBe(0)
    await setTeam(world.database, team, { balance: 10.5 })
    expect(await world.evaluate()).toBe(0)
    await setTeam(world.database, team, { balance: 9.25 })
    expect(await world.evaluate()).toBe(1)
    expect(await world.firings(team)).toMatchObject([
      { current_value: 9.25, message: 'Balance in tokens: 9.25 (threshold: at most 10).' },
    ])
  })
})

describe('when a rule fires', () => {
  test('at its threshold and not before; the window is as long as the cooldown', async () => {
    await world.rule(team, 'bot_crash', { threshold: 3, cooldownMinutes: 15 })
    await world.failedBot(team, 'OOM_KILLED')
    await world.passMinutes(10)
    await world.failedBot(team, 'OOM_KILLED')
    await world.passMinutes(10)
    await world.failedBot(team, 'OOM_KILLED')
    expect(await world.evaluate()).toBe(0)
    await world.failedBot(team, 'OOM_KILLED')
    expect(await world.evaluate()).toBe(1)
    expect(await world.firings(team)).toMatchObject([{ current_value: 3 }])
  })

  test('then it is silent for its cooldown, and the next firing counts the occurrences of that time', async () => {
    await world.rule(team, 'bot_crash', { cooldownMinutes: 15 })
    await world.failedBot(team, 'OOM_KILLED')
    expect(await world.evaluate()).toBe(1)
    for (let count = 0; count < 3; count++) await world.failedBot(team, 'OOM_KILLED')
    expect(await world.evaluate()).toBe(0)
    await world.passMinutes(14)
    expect(await world.evaluate()).toBe(0)
    await world.passMinutes(11)
    // The three are outside the window by now, so they fire no alerts.
    await world.passMinutes(15)
    expect(await world.evaluate()).toBe(0)
    await world.failedBot(team, 'OOM_KILLED')
    expect(await world.evaluate()).toBe(1)
    const [last] = await world.firings(team)
    expect(last).toMatchObject({ current_value: 1, suppressed_count: 3 })
    expect(last!.message).toContain('3 of this kind came while the alert was silent.')
  })

  test('a threshold type fires again after its cooldown while the value stays, and counts returns', async () => {
    const rule = await world.rule(team, 'token_balance', { operator: '<=', threshold: 10, cooldownMinutes: 30 })
    const setBalance = (balance: number) => setTeam(world.database, team, { balance })
    await setBalance(5)
    expect(await world.evaluate()).toBe(1)
    for (const balance of [50, 5, 50, 4]) {
      await setBalance(balance)
      expect(await world.evaluate()).toBe(0)
    }
    await world.passMinutes(31)
    expect(await world.evaluate()).toBe(1)
    const [last] = await world.firings(team)
    expect(last).toMatchObject({ current_value: 4, suppressed_count: 2 })
    expect(last!.message).toContain('The value came to the threshold 2 times while the alert was silent.')
    expect(await measureRules(world.database, rule)).toMatchObject([{ suppressed: 0, is_met: true }])
  })

  test('what happened before the rule was made or enabled again does not count', async () => {
    await world.failedBot(team, 'OOM_KILLED')
    const id = await world.rule(team, 'bot_crash')
    expect(await world.evaluate()).toBe(0)
    const fields = {
      name: 'A rule',
      operator: '>=' as const,
      threshold: 1,
      cooldownMinutes: 15,
      callbackUrl: CALLBACK,
      emails: [],
    }
    const change = (isEnabled: boolean) =>
      changeRule(world.database, seals, { id, teamId: team }, { ...fields, isEnabled })
    await change(false)
    await world.failedBot(team, 'OOM_KILLED')
    expect(await world.evaluate()).toBe(0)
    await change(true)
    expect(await world.evaluate()).toBe(0)
    await world.failedBot(team, 'OOM_KILLED')
    expect(await world.evaluate()).toBe(1)
  })

  test('a deleted rule fires no more; what it fired stays', async () => {
    const id = await world.rule(team, 'bot_crash')
    await world.failedBot(team, 'OOM_KILLED')
    await world.evaluate()
    expect(await deleteRule(world.database, { id, teamId: await world.team() })).toBe(false)
    expect(await deleteRule(world.database, { id, teamId: team })).toBe(true)
    await world.passMinutes(16)
    await world.failedBot(team, 'OOM_KILLED')
    expect(await world.evaluate()).toBe(0)
    expect(await world.firings(team)).toMatchObject([{ rule_name: 'A rule', sent: [{ state: 'dropped' }] }])
    expect(await sendTestAlert(world.database, id)).toBe('not_found')
  })

  test('a test is sent at most twice a minute, counts for nothing and starts no cooldown', async () => {
    const id = await world.rule(team, 'bot_crash', { isEnabled: false, threshold: 5 })
    expect(await sendTestAlert(world.database, id)).toBe('sent')
    expect(await sendTestAlert(world.database, id)).toBe('too_soon')
    expect(await world.firings(team)).toMatchObject([{ is_test: true, current_value: 0, suppressed_count: 0 }])
    expect((await world.firings(team))[0]!.message).toMatch(/^This is a test\. 0 bots crashed/)
    await world.passMinutes(1)
    expect(await sendTestAlert(world.database, id)).toBe('sent')
    expect(await measureRules(world.database, id)).toMatchObject([{ is_silent: false }])
  })

  test('a test of a balance without a limit says so', async () => {
    const id = await world.rule(team, 'token_balance', { operator: '<=', threshold: 10 })
    await sendTestAlert(world.database, id)
    expect(await world.firings(team)).toMatchObject([
      { current_value: 0, message: 'This is a test. The balance has no limit, so this rule does not fire.' },
    ])
  })

  test('many that evaluate at once fire a rule once', async () => {
    for (const type of ['bot_crash', 'recording_failed'] as const) await world.rule(team, type)
    await world.failedBot(team, 'OOM_KILLED')
    await world.failedBot(team, 'INTERNAL_ERROR', { hasJoined: true })
    const counts = await Promise.all(Array.from({ length: 8 }, () => world.evaluate()))
    expect(counts.reduce((sum, count) => sum + count)).toBe(2)
    expect(await world.firings(team)).toHaveLength(2)
    expect(await world.states()).toEqual({ waiting: 2 })
  })
})
