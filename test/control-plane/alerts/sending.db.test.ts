/** Sending of firings: callbacks to a real receiver, mail to a real SMTP server, and connections that break in between. */
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { evaluateAlerts, sendTestAlert } from '../../../control-plane/alerts/evaluate.ts'
import { createAlertMail } from '../../../control-plane/alerts/mail.ts'
import { startJobs } from '../../../control-plane/jobs/index.ts'
import { createGuardedClient } from '../../../control-plane/outgoing/guarded-client.ts'
import { createMailer } from '../../../control-plane/outgoing/mailer.ts'
import { changeRule, deleteRule } from '../../../control-plane/store/alerts/rules.ts'
import type { Database } from '../../../control-plane/store/database.ts'
import { startSmtp } from '../outgoing/smtp-server.ts'
import { answer } from '../webhooks/receiver.ts'
import { quiet, seals } from '../webhooks/world.ts'
import { type AlertWorld, openAlertWorld } from './world.ts'

const LONG = { timeout: 60_000 }
const HOSTILE = `<b>"Ünïcode"</b>\u202E %0d%0aBcc: eve@evil.test, =?utf-8?q?x?= ${'x'.repeat(40)}`

let world: AlertWorld
let team: string
const cleanups: (() => unknown)[] = []
beforeAll(async () => {
  world = await openAlertWorld()
})
beforeEach(async () => {
  team = await world.team()
})
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
  await world.reset()
})
afterAll(() => world.close())

const sentOf = async () => (await world.firings(team)).flatMap(({ sent }) => sent)

describe('callbacks', () => {
  test('have the body and the headers of the interface, and no key and no signature', async () => {
    const receiver = await world.receiver()
    const id = await world.rule(team, 'bot_crash', {
      name: HOSTILE,
      callbackUrl: receiver.url,
      callbackSecret: 'verbatim-secret',
      threshold: 2,
    })
    world.dispatcher()
    for (let count = 0; count < 3; count++) await world.failedBot(team, 'OOM_KILLED')
    await world.evaluate()
    await expect.poll(() => receiver.received.length, LONG).toBe(1)
    const [request] = receiver.received
    expect(request!.method).toBe('POST')
    expect(request!.body).toEqual({
      alert_rule_id: id,
      alert_rule_name: HOSTILE,
      alert_type: 'bot_crash',
      category: 'operational',
      triggered_at: expect.stringMatching(/^\d{4}-.*Z$/),
      current_value: 3,
      threshold_value: 2,
      suppressed_count: 0,
      message: '3 bots crashed within 15 minutes (threshold: at least 2).',
    })
    const { headers } = request!
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'x-service-alert-secret': 'verbatim-secret',
      'x-mb-alert-secret': 'verbatim-secret',
    })
    expect(Object.keys(headers).filter((name) => /^(webhook|svix)-|api-key|service-secret/.test(name))).toEqual([])
    await expect
      .poll(sentOf, LONG)
      .toMatchObject([{ kind: 'alert', state: 'delivered', attempts: 1, last_status: 200 }])
    const firing = (await world.firings(team))[0]!
    expect(firing.triggered_at.toISOString()).toBe(request!.body.triggered_at)
  })

  test('are tried four times on errors of the server, and at once given up on a refusal', async () => {
    const failing = await world.receiver((_request, response) => void response.writeHead(503).end('later'))
    const refusing = await world.receiver(answer(404, {}, 'no such hook'))
    await world.rule(team, 'bot_crash', { callbackUrl: failing.url })
    await world.rule(team, 'bot_crash', { callbackUrl: refusing.url })
    await world.failedBot(team, 'OOM_KILLED')
    await world.evaluate()
    world.dispatcher()
    await expect.poll(() => refusing.received.length, LONG).toBe(1)
    // schedule.test.ts checks the pauses of 1, 5 and 15 s; here they are skipped.
    await expect
      .poll(async () => {
        await sql`update deliveries set next_at = now() where state = 'waiting'`.execute(world.database)
        return world.states()
      }, LONG)
      .toEqual({ failed: 2 })
    expect(failing.received.length).toBe(4)
    expect(refusing.received.length).toBe(1)
    expect(await sentOf()).toMatchObject([
      { state: 'failed', attempts: 1, last_status: 404, last_answer: 'no such hook' },
      { state: 'failed', attempts: 4, last_status: 503 },
    ])
  })

  test('a receiver that fails again and again still gets each firing at once', async () => {
    const receiver = await world.receiver(answer(400))
    await world.rule(team, 'bot_crash', { callbackUrl: receiver.url })
    world.dispatcher()
    for (let count = 1; count <= 7; count++) {
      await world.failedBot(team, 'OOM_KILLED')
      await world.evaluate()
      await expect.poll(() => receiver.received.length, LONG).toBe(count)
      await world.passMinutes(16)
    }
  })

  test('no request goes to private addresses', async () => {
    const receiver = await world.receiver()
    await world.rule(team, 'bot_crash', { callbackUrl: receiver.url })
    const client = createGuardedClient({ allowPrivate: false })
    cleanups.push(() => client.close())
    world.dispatcher({ client })
    await world.failedBot(team, 'OOM_KILLED')
    await world.evaluate()
    await expect.poll(async () => (await sentOf())[0]?.attempts, LONG).toBeGreaterThan(0)
    expect((await sentOf())[0]!.last_error).toMatch(/https|public/)
    expect(receiver.received).toEqual([])
  })

  test('a changed address gets the next firing, and no secret until it is given again', async () => {
    const [before, after] = [await world.receiver(), await world.receiver()]
    const id = await world.rule(team, 'bot_crash', { callbackUrl: before.url, callbackSecret: 'kept-secret' })
    const change = (callbackUrl: string | null, callbackSecret?: string | null) =>
      changeRule(
        world.database,
        seals,
        { id, teamId: team },
        {
          name: 'A rule',
          operator: '>=',
          threshold: 1,
          cooldownMinutes: 15,
          isEnabled: true,
          callbackUrl,
          callbackSecret,
          emails: [],
        },
      )
    world.dispatcher()
    await change(after.url)
    await sendTestAlert(world.database, id)
    await expect.poll(() => after.received.length, LONG).toBe(1)
    expect(after.received[0]!.headers).not.toHaveProperty('x-service-alert-secret')
    await world.passMinutes(1)
    await change(after.url, 'another-secret')
    await sendTestAlert(world.database, id)
    await expect.poll(() => after.received.length, LONG).toBe(2)
    expect(after.received[1]!.headers['x-service-alert-secret']).toBe('another-secret')
    expect(before.received).toEqual([])
    // No sealed value of an unused endpoint is left.
    const closed = await world.database
      .selectFrom('endpoints')
      .select('secret')
      .where('disabled_at', 'is not', null)
      .execute()
    expect(closed.map(({ secret }) => secret)).toEqual([null, null])
  })
})

describe('mail', () => {
  async function smtp(options: Parameters<typeof startSmtp>[0] = {}) {
    const started = await startSmtp(options)
    cleanups.push(started.close)
    return { ...started, mail: createAlertMail(createMailer(started.server), 'https://bots.test') }
  }

  test('goes to each address alone; a hostile name adds no header and no recipient', async () => {
    const { mail, taken } = await smtp()
    const emails = ['ada@example.com', 'bob+x@example.com']
    await world.rule(team, 'bot_crash', { name: HOSTILE, callbackUrl: null, emails })
    world.dispatcher({ mail })
    await world.failedBot(team, 'OOM_KILLED')
    await world.evaluate()
    await expect.poll(() => world.states(), LONG).toEqual({ delivered: 2 })
    expect(taken.map(({ to }) => to).sort()).toEqual(emails.map((address) => [address]))
    for (const one of taken) {
      const names = one.headers.map(([name]) => name)
      expect(names).not.toContain('bcc')
      expect(names.filter((name) => name === 'subject')).toHaveLength(1)
      expect(one.raw).not.toContain('\u202E')
      expect(one.text).toContain('1 bot crashed within 15 minutes')
      expect(one.text).toContain('https://bots.test/dashboard/alerts')
    }
    expect(await sentOf()).toMatchObject([
      { kind: 'mail', url: 'mailto:ada@example.com', state: 'delivered', last_status: 250 },
      { kind: 'mail', url: 'mailto:bob+x@example.com', state: 'delivered', last_status: 250 },
    ])
  })

  test('is tried again with the same id after a temporary refusal, and given up after a final one', async () => {
    let isFull = true
    const { mail, taken } = await smtp({
      onRcptTo: ({ address }, _session, done) => {
        if (address.startsWith('nobody')) done(Object.assign(new Error('No such user'), { responseCode: 550 }))
        else if (isFull) done(Object.assign(new Error('Try later'), { responseCode: 451 }))
        else done()
      },
    })
    await world.rule(team, 'bot_crash', { callbackUrl: null, emails: ['ada@example.com', 'nobody@example.com'] })
    world.dispatcher({ mail, mailDelays: [0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 600] })
    await world.failedBot(team, 'OOM_KILLED')
    await world.evaluate()
    await expect
      .poll(sentOf, LONG)
      .toMatchObject([{ last_status: 451 }, { state: 'failed', attempts: 1, last_status: 550 }])
    isFull = false
    await expect.poll(() => world.states(), LONG).toEqual({ delivered: 1, failed: 1 })
    expect(taken).toHaveLength(1)
    expect((await sentOf())[1]!.last_error).toContain('No such user')
  })

  test('waits where no mail server is configured, and never carries a password into an answer or a log', async () => {
    const lines: unknown[] = []
    const log = {
      info: (...line: unknown[]) => void lines.push(line),
      warn() {},
      error: (...line: unknown[]) => void lines.push(line),
    }
    await world.rule(team, 'bot_crash', { callbackUrl: null, emails: ['ada@example.com'] })
    const none = world.dispatcher({ log })
    await world.failedBot(team, 'OOM_KILLED')
    await world.evaluate()
    await expect
      .poll(sentOf, LONG)
      .toMatchObject([{ state: 'waiting', attempts: 1, last_error: 'No mail server is configured' }])
    await none.close()
    const { server } = await smtp({
      authOptional: false,
      onAuth: (_auth, _session, done) => done(new Error('no: s3cret-pass')),
    })
    const login = { user: 'mail-user', password: 's3cret-pass' }
    world.dispatcher({ log, mail: createAlertMail(createMailer({ ...server, login }), 'https://bots.test') })
    await sql`update deliveries set next_at = now()`.execute(world.database)
    await expect.poll(async () => (await sentOf())[0]!.attempts, LONG).toBe(2)
    const reported = JSON.stringify([lines, await world.firings(team)])
    expect(reported).toContain('refused the sign-in')
    expect(reported).not.toMatch(/s3cret-pass|mail-user/)
  })
})

describe('between the evaluation and the receiver', () => {
  test('a firing that cannot be stored whole leaves nothing, and fires at the next evaluation', async () => {
    await world.rule(team, 'bot_crash')
    await world.failedBot(team, 'OOM_KILLED')
    // The connection breaks with the last statement of the transaction.
    await sql`
      create function die() returns trigger language plpgsql as $$ begin
        perform pg_terminate_backend(pg_backend_pid()); return new; end $$`.execute(world.database)
    await sql`create trigger die before insert on deliveries for each row execute function die()`.execute(
      world.database,
    )
    expect(await world.evaluate()).toBe(0)
    await sql`drop function die cascade`.execute(world.database)
    expect(await world.firings(team)).toEqual([])
    expect(await world.states()).toEqual({})
    expect(await world.database.selectFrom('messages').select('id').execute()).toEqual([])
    expect(await world.evaluate()).toBe(1)
    expect(await world.states()).toEqual({ waiting: 1 })
  })

  test('a deleted rule sends nothing that still waits', async () => {
    const receiver = await world.receiver()
    const id = await world.rule(team, 'bot_crash', { callbackUrl: receiver.url })
    await world.failedBot(team, 'OOM_KILLED')
    await world.evaluate()
    await deleteRule(world.database, { id, teamId: team })
    const other = await world.receiver()
    await world.rule(team, 'bot_crash', { callbackUrl: other.url })
    world.dispatcher()
    await world.failedBot(team, 'OOM_KILLED')
    await world.evaluate()
    await expect.poll(() => other.received.length, LONG).toBe(1)
    expect(receiver.received).toEqual([])
  })

  test('of several processes with the role jobs one evaluates at a time, and each rule fires once', async () => {
    const owners: number[] = []
    let busy = 0
    const evaluate = (database: Database) => async () => {
      owners.push(++busy)
      const done = await evaluateAlerts(database, quiet)
      busy--
      return done
    }
    await world.rule(team, 'bot_crash')
    const settings = {
      database: world.database,
      log: quiet,
      files: {} as never,
      provider: null,
      ownKeyOf: async () => null,
      alerts: evaluate(world.database),
      periodic: ['alerts' as const],
      lookEverySeconds: { alerts: 0.02 },
    }
    const processes = Array.from({ length: 4 }, () => startJobs(settings as never))
    cleanups.push(() => Promise.all(processes.map((jobs) => jobs.close())))
    await world.failedBot(team, 'OOM_KILLED')
    await expect.poll(async () => (await world.firings(team)).length, LONG).toBe(1)
    const seen = owners.length
    await expect.poll(() => owners.length, LONG).toBeGreaterThan(seen + 5)
    expect(Math.max(...owners)).toBe(1)
    expect(await world.firings(team)).toHaveLength(1)
  })
})
