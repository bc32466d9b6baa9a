/** Accounts that bots ask for over the control link: which one a bot gets, and how long it is the bot's. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { leaseAccount, takeAccountReport } from '@standin/control-plane/bots/actions/lease-account.ts'
import { createSeals, newSealKey, parseSealKeys } from '@standin/control-plane/platform/secrets/seals.ts'
import {
  changeAccount,
  checkAccount,
  createAccount,
  listAccounts,
  sessionPlace,
} from '@standin/control-plane/store/accounts/accounts.ts'
import type { StorageState } from '@standin/wire/account-session.ts'
import { sql } from 'kysely'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { changeBot } from '../../../../control-plane/bots/actions/change-bot.ts'
import { processEnded } from '../../../../control-plane/bots/crash.ts'
import { addCalendar, addEvent } from '../../api/calendars/fake.ts'
import { openBotLink, type RunningServer, wholeLife } from '../../control-link/world.ts'
import { openWorld } from '../../world.ts'

const SEAL_KEYS = newSealKey('test')
const seals = createSeals(parseSealKeys(SEAL_KEYS))
/** Heartbeats read the processes of the whole machine. */
const PACE = { heartbeatMs: 60_000, pingMs: 1_000, reconnectMinMs: 50, reconnectMaxMs: 250 }
const CANARY = 'canary-session-value'

let server: RunningServer
const logged: unknown[] = []
const log = { info: note, warn: note, error: note }
function note(...line: unknown[]): void {
  logged.push(line)
}

const world = await openWorld({ links: true })
beforeEach(async () => {
  await sql`update bots set phase = 'closed'`.execute(world.database)
  await sql`delete from accounts`.execute(world.database)
  const tools = { database: world.database, seals, log }
  server = await world.server({
    log,
    answers: {
      account_request: (owner) => leaseAccount(tools, owner),
      account_report_request: (owner, report) => takeAccountReport(tools, owner, report),
    },
  })
})

const COOKIE = { expires: -1, httpOnly: true, secure: true, sameSite: 'Lax' } as const
const sessionWith = (value: string): StorageState => ({
  cookies: [{ name: 'SID', value, domain: '.google.com', path: '/', ...COOKIE }],
  origins: [],
})
const account = (fields: object = {}) =>
  createAccount(world.database, seals, {
    ...{ teamId: world.team, platform: 'meet', label: 'A', address: null, pool: 'default', max_meetings: 20 },
    ...{ is_disabled: false, session: sessionWith(CANARY), ...fields },
  })
const bot = (code: string, request: object = { account: 'always' }, fields: object = {}) =>
  world.bot({ meeting_key: `meet:${code}`, request, ...fields })
const linkOf = async (made: Awaited<ReturnType<typeof bot>>, url = server.url) => {
  const { link } = await openBotLink(url, made, PACE)
  await link.whenWelcomed()
  return link
}
const ask = async (made: Awaited<ReturnType<typeof bot>>) => (await linkOf(made)).askForAccount()
const stepsOf = (id: string) => world.rows('bot_steps', { bot_id: id, kind: 'account' }, ['kind', 'reason'])

test('a bot gets an account with its session, the next of the meeting another one, and the third a reason', async () => {
  const one = await account({ label: 'One' })
  const two = await account({ label: 'Two' })
  const bots = [await bot('a'), await bot('a'), await bot('a')] as const
  const first = await ask(bots[0])
  expect(first.account).toEqual({ account_id: one.id, label: 'One', version: 1, session: sessionWith(CANARY) })
  expect((await ask(bots[1])).account).toMatchObject({ account_id: two.id })
  const none = await ask(bots[2])
  expect(none).toMatchObject({ message: 'No account is free: of 2, 2 in this meeting already.' })
  expect(none).not.toHaveProperty('account')
  expect(await stepsOf(bots[0].id)).toEqual([{ kind: 'account', reason: 'The bot joins with the account "One".' }])
  expect((await stepsOf(bots[2].id)).map(({ reason }) => reason)).toEqual([none.message])
  expect((await listAccounts(world.database, world.team)).map(({ meetings }) => meetings)).toEqual([1, 1])
})

test('the account stays with its bot until the bot is out of its meeting', async () => {
  const { id } = await account()
  const holder = await bot('a')
  const link = await linkOf(holder)
  for (const _again of [1, 2]) expect((await link.askForAccount()).account?.account_id).toBe(id)
  expect(await stepsOf(holder.id)).toHaveLength(1)
  for (const event of wholeLife()) link.report(event)
  await link.drain(30_000)
  expect(await world.row(holder.id)).toMatchObject({ phase: 'closed', account_id: id })
  expect((await ask(await bot('a'))).account?.account_id).toBe(id)
})

const ofTeams = { cookies: [{ ...sessionWith('x').cookies[0]!, domain: '.live.com' }], origins: [] }
test.each([
  ['is disabled', { is_disabled: true }, 'of 1, 1 disabled'],
  ['has another platform', { platform: 'teams', session: ofTeams }, 'of 0, none can be used'],
  ['is of another pool', { pool: 'other' }, 'in the pool "sales": of 0'],
])('an account that %s is not given', async (_what, fields, words) => {
  await account(fields)
  const pool = words.includes('pool') ? { account_pool: 'sales' } : {}
  expect((await ask(await bot('a', { account: 'always', ...pool }))).message).toContain(words)
})

test('an account is in as many meetings as it may be, and the one with the fewest comes first', async () => {
  const small = await account({ label: 'Small', max_meetings: 1 })
  const large = await account({ label: 'Large', max_meetings: 2 })
  const given: (string | undefined)[] = []
  for (const code of ['a', 'b', 'c', 'd']) given.push((await ask(await bot(code))).account?.account_id)
  expect(given).toEqual([small.id, large.id, large.id, undefined])
})

test('an account that the calendar event invited comes first', async () => {
  await account({ label: 'Any' })
  const { id } = await account({ label: 'Invited', address: 'notes@example.com' })
  const calendar = await addCalendar(world.database, { teamId: world.team })
  const event = await addEvent(world.database, calendar.id, { attendees: [{ email: 'Notes@Example.com', name: null }] })
  const made = await bot('a')
  await world.insert('calendar_bots', { bot_id: made.id, calendar_id: calendar.id, event_id: event.id })
  expect((await ask(made)).account?.account_id).toBe(id)
})

test('a refreshed session is stored over the one that the bot was given, and over no other', async () => {
  const { id } = await account()
  const link = await linkOf(await bot('a'))
  const { account_id, version } = (await link.askForAccount()).account!
  const report = { account_id, version, state: 'ok' as const, session: sessionWith('fresh') }
  expect(await link.reportAccount(report)).toMatchObject({ version: 2 })
  expect(await link.reportAccount(report)).not.toHaveProperty('version')
  const row = await world.one('accounts')
  expect(JSON.parse(seals.open(row.session, sessionPlace(id)))).toEqual(sessionWith('fresh'))
  expect(row).toMatchObject({ state: 'ok', session_version: 2 })
  const other = await linkOf(await bot('b', {}))
  expect(await other.reportAccount({ ...report, version: 2 })).not.toHaveProperty('version')
  // A person signed in again.
  await changeAccount(world.database, seals, { teamId: world.team, id }, { session: sessionWith('person') })
  expect(await link.reportAccount({ account_id, version: 2, state: 'signed_out' })).not.toHaveProperty('version')
  expect((await listAccounts(world.database, world.team))[0]).toMatchObject({ state: 'unknown' })
})

test('an account that is signed out leaves the pool with the words of the page, and one webhook says so', async () => {
  const { id } = await account()
  const link = await linkOf(await bot('a'))
  const { account_id, version } = (await link.askForAccount()).account!
  const messages = () => world.rows('messages', { ordering_key: id }, ['event', 'body'])
  const report = { account_id, version, state: 'signed_out' as const, reason: 'Sign in' }
  for (const _again of [1, 2]) await link.reportAccount(report)
  const event = 'account.signed_out'
  const shown = { account_id: id, platform: 'meet', label: 'A', pool: 'default', state_reason: 'Sign in' }
  const data = { ...shown, state_at: expect.any(String) }
  expect(await messages()).toEqual([{ event, body: { event, data } }])
  expect((await listAccounts(world.database, world.team))[0]).toMatchObject({
    state: 'signed_out',
    state_reason: 'Sign in',
  })
  expect((await link.askForAccount()).message).toBe('No account is free: of 1, 1 signed out.')
  await checkAccount(world.database, world.team, id)
  await link.reportAccount(report)
  expect(await messages()).toHaveLength(2)
})

test('a bot that is over, replaced, or sent without an account gets none', async () => {
  await account()
  expect((await ask(await bot('a', { account: 'never' }))).message).toBe('The bot was sent without an account.')
  for (const fields of [{ phase: 'closed', status: 'completed' }, { attempt: 2 }])
    expect((await ask(await bot('a', { account: 'always' }, fields))).message).toBe('The bot is not wanted any more.')
})

test('the database itself refuses an account twice in one meeting, and one place twice', async () => {
  const { id } = await account()
  const hold = async (code: string, place: number) => {
    const { id: botId } = await bot(code)
    return world.set(botId, { account_id: id, account_place: place })
  }
  await hold('a', 1)
  await expect(hold('a', 2)).rejects.toThrow('bots_one_per_account_and_meeting')
  await expect(hold('b', 1)).rejects.toThrow('bots_one_per_place_of_account')
  await hold('b', 2)
})

test('no log line, no plain column has a session', async () => {
  await account()
  await ask(await bot('a'))
  expect(JSON.stringify(logged)).not.toContain(CANARY)
  const { rows: tables } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = current_schema()`.execute(world.database)
  for (const { name } of tables) {
    const { rows } = await sql<{ found: boolean }>`
      select bool_or(strpos(one::text, ${CANARY}) > 0 or strpos(one::text, ${Buffer.from(CANARY).toString('hex')}) > 0)
        as found from ${sql.table(name)} one`.execute(world.database)
    expect(rows[0]!.found ?? false, name).toBe(false)
  }
})

const NOTHING_KNOWN = { reason: null, endedAt: null, logTail: null }
const BOTS = 200
const ACCOUNTS = 5
const MEETINGS = 30
const MAX_MEETINGS = 8
const AT_ONCE = 40
const MAX_KILLS = 5

test(`${BOTS} bots over ${ACCOUNTS} accounts with kills: never two of one account in a meeting, none lost, none kept`, {
  timeout: 300_000,
}, async () => {
  const random = randomOf(20_261_127)
  await noteHolds()
  await Promise.all(
    Array.from({ length: ACCOUNTS }, (_, number) => account({ label: `A${number}`, max_meetings: MAX_MEETINGS })),
  )
  let process = await startProcess()
  const url = `ws://127.0.0.1:${process.port}/link`
  let kills = 0
  let isOver = false
  const killing = (async () => {
    while (!isOver && kills < MAX_KILLS) {
      await new Promise((resolve) => setTimeout(resolve, 1000 + random(1500)))
      process.child.kill('SIGKILL')
      await once(process.child, 'exit')
      kills += 1
      process = await startProcess(process.port)
    }
  })()
  const counts = { given: 0, refused: 0 }
  let left = BOTS
  const work = async (): Promise<void> => {
    while (left-- > 0) {
      const made = await bot(`m${random(MEETINGS)}`)
      const [isKilled, again] = [random(3) === 0, random(3)]
      const { link } = await openBotLink(url, made, PACE)
      const patiently = async () => {
        for (;;) {
          await link.whenWelcomed()
          const answer = await link.askForAccount().catch(() => null)
          if (answer !== null) return answer
          await new Promise((resolve) => setTimeout(resolve, 50))
        }
      }
      const { account: given } = await patiently()
      counts[given ? 'given' : 'refused'] += 1
      for (let time = 0; given && time < again; time++) {
        expect((await patiently()).account?.account_id, 'a lease was lost').toBe(given.account_id)
        await new Promise((resolve) => setTimeout(resolve, random(150)))
      }
      if (isKilled) {
        await link.close()
        const evidence = { ...{ exitCode: null, signal: 'SIGKILL', isOutOfMemory: false }, ...NOTHING_KNOWN }
        // The reconciler tries again until no further attempt is made.
        await sql`update bots set phase = 'running', joined_attempt = 1 where id = ${made.id}`.execute(world.database)
        await changeBot(world.database, made.id, (row, now) => processEnded(row, { evidence, now } as never))
      } else {
        for (const event of wholeLife()) link.report(event)
        await link.drain(60_000)
        await link.close()
      }
      const row = await world.row(made.id)
      expect(row.phase, 'a lease was kept').toBe('closed')
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  isOver = true
  await killing
  process.child.kill('SIGKILL')
  expect(counts.given + counts.refused).toBe(BOTS)
  expect(counts.given).toBeGreaterThan(BOTS / 4)
  expect(kills).toBeGreaterThan(1)
  const meetings = (await listAccounts(world.database, world.team)).map((one) => one.meetings)
  expect(meetings).toEqual(Array(ACCOUNTS).fill(0))
  expect(await overlaps()).toEqual([])
})

/**
 * Writes down which bot takes and gives up an account in which meeting, from now on. The numbers follow the order in which
 * one bot could have it after the other: a row's index entry waits for a transaction that gives up the same account,
 * and triggers run behind that. Times would not: a transaction's own time is that of its begin, before it waited.
 */
async function noteHolds(): Promise<void> {
  const holds = (row: string) =>
    `${row}.account_id is not null and ${row}.phase not in ('processing', 'assembling', 'closed')`
  await sql
    .raw(`create table test_holds (number bigserial, bot_id uuid, place text, is_taken boolean);
      create function test_note_hold() returns trigger language plpgsql as $$ begin
        if ${holds('old')} then
          insert into test_holds (bot_id, place, is_taken) values (old.id, old.account_id || ' ' || old.meeting_key, false);
        end if;
        if ${holds('new')} then
          insert into test_holds (bot_id, place, is_taken) values (new.id, new.account_id || ' ' || new.meeting_key, true);
        end if;
        return null;
      end $$;
      create trigger test_note_hold after update on bots for each row execute function test_note_hold()`)
    .execute(world.database)
}

/** Pairs of bots that had one account in one meeting at the same time; each step of a bot gives up what it had before. */
async function overlaps(): Promise<string[]> {
  const { rows } = await sql<{ bot_id: string; place: string; is_taken: boolean }>`
    select bot_id, place, is_taken from test_holds order by number`.execute(world.database)
  const holders = new Map<string, string>()
  const found: string[] = []
  for (const { bot_id: bot, place, is_taken: isTaken } of rows) {
    const holder = holders.get(place)
    if (isTaken && holder !== undefined) found.push(`${place}: ${holder} and ${bot}`)
    if (isTaken) holders.set(place, bot)
    else if (holder === bot) holders.delete(place)
  }
  expect(rows.some(({ is_taken: isTaken }) => isTaken)).toBe(true)
  return found
}

/** Whole numbers below a limit, the same in each run. */
function randomOf(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

async function startProcess(port = 0): Promise<{ child: ChildProcess; port: number }> {
  const program = fileURLToPath(new URL('../../control-link/link-server-process.ts', import.meta.url))
  const settings = { TEST_DATABASE: world.url, TEST_PORT: String(port), TEST_SEAL_KEYS: SEAL_KEYS }
  const env = { ...globalThis.process.env, ...settings }
  const child = spawn(globalThis.process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  child.stdout!.on('data', (text) => {
    said += text
  })
  await expect.poll(() => said, { timeout: 60_000, interval: 10 }).toMatch(/port \d+\n/)
  return { child, port: Number(/port (\d+)/.exec(said)![1]) }
}
