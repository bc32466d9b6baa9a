/** The commands of the shell on a separate database. */

import { randomUUID } from 'node:crypto'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { teamChangeOf } from '@standin/control-plane/main/cli/administration.ts'
import { run as runCommand } from '@standin/control-plane/main/cli/run.ts'
import { PRIVATE_ADDRESSES, PUBLIC_URL } from '@standin/control-plane/main/wiring/http-address.ts'
import { newSealKey } from '@standin/control-plane/platform/secrets/seals.ts'
import { databaseTime, isDrainAskedSince } from '@standin/control-plane/store/drain.ts'
import { writeSetting } from '@standin/control-plane/store/settings.ts'
import { findKeyHolder } from '@standin/control-plane/store/teams/keys.ts'
import { readTeam } from '@standin/control-plane/store/teams/teams.ts'
import { table } from '@standin/wire/process/command-output.ts'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../fakes/at-end.ts'
import { type Ended, inProcess } from '../../../fakes/in-process.ts'
import { openTestDatabase } from '../../postgres.ts'

const UUID = expect.stringMatching(/^[0-9a-f-]{36}$/)
const secretKeys = newSealKey('k1')

const folder = temporaryFolder()
const db = await openTestDatabase()

function run(args: readonly string[], environment: Record<string, string> = {}): Promise<Ended> {
  const own = { DATABASE_URL: db.url, STANDIN_SECRET_KEYS: secretKeys, STANDIN_DATA: folder }
  return inProcess(runCommand, args, { ...own, ...environment })
}

async function answerOf<T = Record<string, string>>(...args: string[]): Promise<T> {
  const { exitCode, out, errors } = await run([...args, '--json'])
  expect({ exitCode, errors: errors.replaceAll(/^\{.*\n/gm, '') }).toEqual({ exitCode: 0, errors: '' })
  return JSON.parse(out) as T
}

test('a key is made, listed and revoked', async () => {
  const made = await answerOf('keys', 'create', '--name', 'CI', '--permission', 'sending')
  expect(made).toEqual({ key_id: UUID, key: expect.stringMatching(/^standin_/), expires_at: null })
  expect(await findKeyHolder(db.database, made.key!)).toMatchObject({ keyId: made.key_id, permission: 'sending' })

  const listed = await answerOf<{ key_id: string }[]>('keys', 'list')
  const shown = { key_id: made.key_id, name: 'CI', prefix: made.key!.slice(0, 14), permission: 'sending' }
  const times = { last_used_at: null, expires_at: null, revoked_at: null }
  expect(listed.find((key) => key.key_id === made.key_id)).toEqual({ ...shown, ...times })
  expect(JSON.stringify(listed)).not.toContain(made.key)

  expect(await answerOf('keys', 'revoke', made.key_id!)).toEqual({ key_id: made.key_id })
  expect(await findKeyHolder(db.database, made.key!)).toBe('revoked')
})

test('a key works until the time that it was given', async () => {
  const made = await answerOf('keys', 'create', '--name', 'Guest', '--expires', '2100-01-01T01:00:00+01:00')
  expect(made).toMatchObject({ expires_at: '2100-01-01T00:00:00.000Z' })
  expect(await answerOf('keys', 'list')).toContainEqual(
    expect.objectContaining({ key_id: made.key_id, expires_at: '2100-01-01T00:00:00.000Z' }),
  )
  expect((await run(['keys', 'list'])).out).toMatch(/ expires +revoked\n/)
  expect(await findKeyHolder(db.database, made.key!)).toMatchObject({ keyId: made.key_id })
  await db.database.updateTable('api_keys').set({ expires_at: new Date() }).where('id', '=', made.key_id!).execute()
  expect(await findKeyHolder(db.database, made.key!)).toBe('expired')
})

test('a team is made with a key, set, granted tokens and listed', async () => {
  const made = await answerOf('teams', 'create', 'Sales')
  expect(made).toEqual({ team_id: UUID, key: expect.stringMatching(/^standin_/) })
  await answerOf('teams', 'set', 'Sales', 'balance=0', 'daily_cap=null', 'plan=pro')
  await answerOf('teams', 'set', 'Sales', 'api_key_in_webhooks=false')
  expect(await readTeam(db.database, made.team_id!)).toMatchObject({ api_key_in_webhooks: false, plan: 'pro' })
  expect(await answerOf('teams', 'grant', made.team_id!, '2.5')).toEqual({ team_id: made.team_id, balance: 2.5 })
  const shown = { team_id: made.team_id, name: 'Sales', balance: 2.5, reserved: 0 }
  expect(await answerOf('teams', 'list')).toContainEqual(shown)
})

test('the audit log of a team is printed as JSON lines', async () => {
  const made = await answerOf('teams', 'create', 'Audited')
  await answerOf('teams', 'grant', 'Audited', '2.5')
  const { out } = await run(['audit-log', '--team', made.team_id!, '--since', '2020-01-01T00:00:00Z'])
  const entries: Record<string, unknown>[] = JSON.parse(`[${out.trim().replaceAll('\n', ',')}]`)
  expect(entries.map(({ action }) => action)).toEqual(['team.grant_tokens', 'key.create', 'team.create'])
  expect(entries[0]).toMatchObject({ actor: { kind: 'operator', id: null }, address: null, details: { tokens: 2.5 } })
  expect(out).not.toContain(made.key)
  expect((await run(['audit-log', '--team', made.team_id!, '--until', '2020-01-01T00:00:00Z'])).out).toBe('')
})

test('an endpoint is made, listed, tested, given a new secret, and its webhooks are sent again', async () => {
  const made = await answerOf('endpoints', 'create', 'https://example.com/hook', '--events', 'bot.completed,bot.failed')
  expect(made).toEqual({ endpoint_id: UUID, secret: expect.stringMatching(/^whsec_/) })
  const id = made.endpoint_id!
  const shown = { endpoint_id: id, url: 'https://example.com/hook', events: ['bot.completed', 'bot.failed'] }
  expect(await answerOf('endpoints', 'list')).toContainEqual(expect.objectContaining(shown))
  expect(await answerOf('endpoints', 'test', id)).toEqual({ endpoint_id: id, delivery_id: expect.any(Number) })
  const rotated = await answerOf('endpoints', 'rotate', id)
  expect(rotated).toEqual({ endpoint_id: id, secret: expect.stringMatching(/^whsec_/) })
  expect(rotated.secret).not.toBe(made.secret)
  await db.database.updateTable('endpoints').set({ disabled_at: new Date(), disabled_reason: 'gone' }).execute()
  expect(await answerOf('endpoints', 'enable', id)).toEqual({ endpoint_id: id })
  expect(await answerOf('endpoints', 'list')).toContainEqual(expect.objectContaining({ disabled_at: null }))
  await db.database.updateTable('deliveries').set({ state: 'failed' }).execute()
  const since = ['--since', '2020-01-01T00:00:00Z', '--failed']
  expect(await answerOf('endpoints', 'replay', id, ...since)).toEqual({ endpoint_id: id, replayed: 1 })
})

test('one delivery is sent again, or those of a bot, or those before a time', async () => {
  const { endpoint_id: id } = await answerOf('endpoints', 'create', 'https://example.com/again')
  const { delivery_id: delivery } = await answerOf('endpoints', 'test', id!)
  await answerOf('endpoints', 'test', id!)
  const finish = () =>
    db.database.updateTable('deliveries').set({ state: 'delivered' }).where('endpoint_id', '=', id!).execute()
  const replay = (...options: string[]) => answerOf('endpoints', 'replay', id!, ...options)
  const one = await run(['endpoints', 'replay', id!, '--delivery', String(delivery)])
  expect(one).toMatchObject({ exitCode: 2, errors: expect.stringContaining('it is not finished') })
  await finish()
  expect(await replay('--delivery', String(delivery))).toEqual({ endpoint_id: id, replayed: 1 })
  const states = await db.database
    .selectFrom('deliveries')
    .select(['id', 'state'])
    .where('endpoint_id', '=', id!)
    .where('state', '=', 'waiting')
    .execute()
  expect(states).toEqual([{ id: delivery, state: 'waiting' }])
  await finish()
  expect(await replay('--until', '2020-01-01T00:00:00Z')).toMatchObject({ replayed: 0 })
  expect(await replay('--until', '2100-01-01T00:00:00Z', '--bot', randomUUID())).toMatchObject({ replayed: 0 })
  expect(await replay('--until', '2100-01-01T00:00:00Z')).toMatchObject({ replayed: 2 })
})

test('secrets are sealed with the new first key', async () => {
  const rotated = await run(['secrets', 'rotate', '--json'], {
    STANDIN_SECRET_KEYS: `${newSealKey('k2')},${secretKeys}`,
  })
  const { resealed, failed, left } = JSON.parse(rotated.out)
  expect({ failed, left }).toEqual({ failed: [], left: { k2: expect.any(Number) } })
  expect(resealed).toBeGreaterThan(0)
  await db.database.deleteFrom('settings').where('name', '=', 'secret_key_check').execute()
})

test('a drain is written down for every launcher, and ends when no bot is under way', async () => {
  const before = await databaseTime(db.database)
  expect(await answerOf('drain')).toEqual({ bots: 0, waited_seconds: expect.any(Number) })
  expect(await isDrainAskedSince(db.database, before)).toBe(true)
  expect(await isDrainAskedSince(db.database, await databaseTime(db.database))).toBe(false)
})

test('where no service runs, there is nothing to drain', async () => {
  await chmod(folder, 0o755)
  const { exitCode, errors } = await run(['drain', '--data', join(folder, 'own')], {
    DATABASE_URL: '',
    STANDIN_SECRET_KEYS: '',
  })
  expect({ exitCode, errors }).toEqual({ exitCode: 2, errors: expect.stringContaining('No service runs') })
})

test('a job is done now', async () => {
  await db.database.deleteFrom('settings').where('name', '=', 'file_link_secret').execute()
  expect(await answerOf('jobs', 'run', 'audit')).toMatchObject({ job: 'audit' })
  expect(await answerOf('jobs', 'run', 'retention')).toMatchObject({ job: 'retention', done: { events: 0 } })
  const none = { renewed: 0, failed: 0, polled: 0 }
  expect(await answerOf('jobs', 'run', 'renewals')).toEqual({ job: 'renewals', done: none })
  expect(await answerOf('migrate')).toEqual({ migrated: [] })
})

test('people read tables and sentences', async () => {
  const { out } = await run(['teams', 'list'])
  expect(out).toMatch(/^team id +name +balance +reserved\n/)
  expect(table(['a'], [], 'There is none.')).toEqual(['There is none.'])
})

test('a sign-in link leads to the address of the running service', async () => {
  await writeSetting(db.database, PUBLIC_URL, 'http://127.0.0.1:9123')
  const { sign_in_link: link } = await answerOf('people', 'link')
  expect(link).toMatch(/^http:\/\/127\.0\.0\.1:9123\/dashboard\//)
})

test('an endpoint may be on a private address where the running service permits it', async () => {
  const create = ['endpoints', 'create', 'http://127.0.0.1/hook']
  expect(await run(create)).toMatchObject({ exitCode: 2, errors: expect.stringContaining('STANDIN_PRIVATE_ADDRESSES') })
  await writeSetting(db.database, PRIVATE_ADDRESSES, true)
  expect(await answerOf(...create)).toMatchObject({ endpoint_id: UUID })
  await writeSetting(db.database, PRIVATE_ADDRESSES, false)
})

test('a person of several teams is named by an id, and their address is taken in the same team only', async () => {
  await answerOf('teams', 'create', 'Legal')
  const invite = (...words: string[]) => answerOf('people', 'invite', 'cy@example.com', ...words)
  const [first, second] = [await invite(), await invite('--team', 'Legal')]
  expect((await run(['people', 'invite', 'CY@example.com'])).errors).toContain('has a person with')
  expect((await run(['people', 'link', 'cy@example.com'])).errors).toContain(`${first.person_id}, ${second.person_id}`)
  expect(await answerOf('people', 'link', second.person_id!)).toMatchObject({ person_id: second.person_id })
})

describe('mistakes end with code 2 and say what is wrong', () => {
  test.each<[string, string[], string]>([
    ['an unknown command', ['kezs'], 'standin service --help'],
    ['an unknown option', ['--prot', '1'], '--port'],
    ['an unknown permission', ['keys', 'create', '--permission', 'admin'], 'full, sending'],
    ['no time of expiry', ['keys', 'create', '--expires', 'tomorrow'], '--expires is a time'],
    ['a time of expiry that is past', ['keys', 'create', '--expires', '2020-01-01'], '--expires is a time to come'],
    ['an unknown team', ['keys', 'create', '--team', 'nobody'], 'There is no team "nobody"'],
    ['no id of a key', ['keys', 'revoke', 'abc'], '"abc" is not the id of a key'],
    ['an unknown key', ['keys', 'revoke', '00000000-0000-4000-8000-000000000000'], 'There is no key'],
    ['no time', ['endpoints', 'replay', '00000000-0000-4000-8000-000000000000', '--since', 'today'], '--since'],
    ['nothing to replay', ['endpoints', 'replay', '00000000-0000-4000-8000-000000000000', '--failed'], '--delivery'],
    [
      'an event that does not exist',
      ['endpoints', 'create', 'https://example.com/hook', '--events', 'bot.complete,bot.failed'],
      'no event "bot.complete"; there are: bot.status_change, bot.completed, bot.failed, bot.chat_message',
    ],
    ['an unknown job', ['jobs', 'run', 'laundry'], 'retention'],
    ['bad settings', ['--port', 'http', '--launcher', 'podman'], '--launcher'],
  ])('%s', async (_what, args, words) => {
    const { exitCode, errors } = await run(args)
    expect({ exitCode, errors }).toEqual({ exitCode: 2, errors: expect.stringContaining(words) })
  })

  test('a misspelled variable is named, as a warning of a command and beside the mistakes', async () => {
    const sentence = /STANDIN_LAUNCHR\\?" is not a setting; did you mean STANDIN_LAUNCHER\?/
    const misspelled = { STANDIN_LAUNCHR: 'docker' }
    const works = await run(['keys', 'list'], misspelled)
    expect({ ...works, out: '' }).toEqual({ exitCode: 0, out: '', errors: expect.stringMatching(sentence) })
    const refused = await run(['keys', 'list'], { ...misspelled, STANDIN_PORT: 'http' })
    expect(refused).toEqual({ exitCode: 2, out: '', errors: expect.stringMatching(sentence) })
  })

  test('every mistake in the settings of a team is reported', () => {
    const mistakes = ['balance=-1', 'daily_cap=1.5', 'plan=gold', 'colour=red', 'byok_transcription']
    expect(() => teamChangeOf([...mistakes, 'api_key_in_webhooks=no'])).toThrow(
      /balance.*\ndaily_cap.*\nplan.*\n"colour".*\nbyok_transcription is true or false\napi_key_in_webhooks is true or false/,
    )
  })
})

test('settings of a team: null means no limit, 0 means none allowed', () => {
  expect(teamChangeOf(['daily_cap=0', 'calendars=null', 'balance=12.5', 'byok_transcription=false'])).toEqual({
    daily_cap: 0,
    calendars: null,
    balance: 12.5,
    byok_transcription: false,
  })
})
