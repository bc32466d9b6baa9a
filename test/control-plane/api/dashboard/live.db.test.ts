/** Live pictures: one limit for all who watch, and a reason if there is none. Parts of a recording, and the system. */
import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { startCapacityReport } from '@standin/control-plane/launching/due/capacity-report.ts'
import type { BotPatch } from '@standin/control-plane/store/rows/index.ts'
import type { Answer } from '@standin/wire/control-link.ts'
import type { BotEvent } from '@standin/wire/events.ts'
import { speechProblemsOf } from '@standin/wire/speech-access.ts'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { openCommands, storeAnswer } from '../../../../control-plane/store/bots/commands.ts'
import { createPerson, type Role } from '../../../../control-plane/store/people/people.ts'
import { openSession } from '../../../../control-plane/store/people/sessions.ts'
import { waitingForLocks } from '../../postgres.ts'
import { openWorld, quiet } from '../../world.ts'
import { freshMeet, startReporting } from '../reporting.ts'
import type { Team } from '../world.ts'

const linked: string[] = []
/** The first team. */
const world = await openWorld({ api: {} })
const operators = await world.team()
world.dependencies.links.linkTo = async (key) => {
  linked.push(key)
  return `https://files.example/${key}?signature=x`
}

async function person(role: Role, team?: Team) {
  const of = await world.person(role, team)
  const { ask: send } = of
  const askForPictures = async (): Promise<number> => (await send('POST', '/live/pictures')).body.data.asked
  const bot = async (name = 'Bot', fields: object = {}) => {
    const id = await world.bot(of, { bot_name: name, meeting_url: freshMeet(), ...fields })
    return { id, ...(await startReporting(world.database, id)) }
  }
  const viewOf = async (id: string) =>
    (await send('GET', '/live')).body.data.find(({ bot_id }: { bot_id: string }) => bot_id === id)
  return { team: of, send, askForPictures, bot, viewOf }
}

const openOf = (id: string) => openCommands(world.database, [id])
const commandsOf = (id: string) => world.rows('bot_commands', { bot_id: id })
const pass = (id: string, seconds: number) =>
  world.change('live_pictures', { bot_id: id }, { asked_at: new Date(Date.now() - seconds * 1000) })
/** Reports what a launching process of these tests can take. */
const reportCapacity = (
  capacity: Parameters<typeof startCapacityReport>[0]['launcher']['capacity'],
  more: object = {},
) =>
  startCapacityReport({
    ...{ database: world.database, launcher: { kind: 'docker', capacity }, version: '1.2.3', image: 'standin:1.2.3' },
    ...{ speech: speechProblemsOf({}), log: quiet, ...more },
  })
async function answer(id: string, given: Pick<Answer, 'ok' | 'code' | 'message'>) {
  for (const open of await openOf(id)) await storeAnswer(world.database, id, { type: 'answer', id: open.id, ...given })
}
const stored = (bytes = 1000): BotEvent => ({
  type: 'artifact',
  artifact: { name: 'screenshots/live.png', location: '/etc/passwd', bytes, sha256: null },
})
const keyOfPicture = (id: string) => `${id}/1/${id}/screenshots/live.png`

describe('pictures', () => {
  test('of a bot are asked for once in 30 s, however many people watch it', async () => {
    const ada = await person('viewer')
    const ben = await person('owner', ada.team)
    const { id } = await ada.bot()
    const answers = await Promise.all([ada, ben, ada, ben, ada, ben].map(({ send }) => send('POST', '/live/pictures')))
    expect(answers.map(({ body }) => body.data.asked).sort()).toEqual([0, 0, 0, 0, 0, 1])
    expect((await openOf(id)).map(({ command }) => command)).toEqual([{ type: 'screenshot', live: true }])
    await pass(id, 15)
    expect(await ada.askForPictures()).toBe(0)
    await pass(id, 31)
    expect(await ada.askForPictures()).toBe(1)
    // A bot that is watched for hours keeps one question.
    expect(await commandsOf(id)).toHaveLength(1)
  })

  test('a member asks for a fresh one sooner; a viewer may not', async () => {
    const ada = await person('viewer')
    const ben = await person('member', ada.team)
    const { id } = await ada.bot()
    await ada.askForPictures()
    expect((await ada.send('POST', `/live/pictures/${id}`)).status).toBe(403)
    await pass(id, 0)
    expect((await ben.send('POST', `/live/pictures/${id}`)).body.data.asked).toBe(0)
    await pass(id, 6)
    expect((await ben.send('POST', `/live/pictures/${id}`)).body.data.asked).toBe(1)
    expect((await ben.send('POST', `/live/pictures/${randomUUID()}`)).status).toBe(404)
  })

  test('another team does not see them and asks no foreign bot', async () => {
    const ada = await person('owner')
    const eve = await person('owner')
    const { id } = await ada.bot()
    expect(await eve.askForPictures()).toBe(0)
    expect((await eve.send('POST', `/live/pictures/${id}`)).status).toBe(404)
    expect((await eve.send('GET', '/live')).body.data).toEqual([])
    expect(await openOf(id)).toEqual([])
    // A key of the API is no session.
    expect((await ada.team.get('/dashboard/api/live')).status).toBe(401)
  })

  test('the last one is linked with its age, and stays where a newer one fails', async () => {
    const ada = await person('viewer')
    const { id, report } = await ada.bot()
    expect(await ada.viewOf(id)).toMatchObject({ picture: null, no_picture: 'pending' })
    await ada.askForPictures()
    await report(stored())
    await answer(id, { ok: true })
    const { picture, no_picture } = await ada.viewOf(id)
    expect(picture.url).toBe(`https://files.example/${keyOfPicture(id)}?signature=x`)
    expect(picture.age_seconds).toBeLessThan(10)
    expect(no_picture).toBeNull()
    await pass(id, 31)
    await ada.askForPictures()
    await answer(id, { ok: false, code: 'COMMAND_FAILED', message: 'The page does not answer.' })
    expect(await ada.viewOf(id)).toMatchObject({
      picture: { url: picture.url },
      no_picture: 'refused',
      no_picture_message: 'The page does not answer.',
    })
  })

  test('a bot that does not answer is reported after 15 s', async () => {
    const ada = await person('viewer')
    const { id } = await ada.bot()
    await ada.askForPictures()
    expect((await ada.viewOf(id)).no_picture).toBe('pending')
    await pass(id, 16)
    expect((await ada.viewOf(id)).no_picture).toBe('no_answer')
  })

  test('a file that is too large is not linked', async () => {
    const ada = await person('viewer')
    const { id, report } = await ada.bot()
    await ada.askForPictures()
    await report(stored(9 * 1024 * 1024))
    await answer(id, { ok: true })
    expect(await ada.viewOf(id)).toMatchObject({ picture: null, no_picture: 'unusable' })
    expect(linked).not.toContain(keyOfPicture(id))
  })

  test.each([
    ['waiting_room', { status: 'in_waiting_room' }],
    ['joining', { status: 'joining_call' }],
    ['joining', { phase: 'due', status: 'queued' }],
    ['paused', { status: 'recording_paused' }],
    ['audio_only', { recording_mode: 'audio_only' }],
    ['resuming', { phase: 'due', resuming_since: new Date() }],
    ['left', { phase: 'processing', status: 'transcribing' }],
    ['assembling', { phase: 'assembling' }],
  ] as [string, BotPatch][])('a bot says %s, and is not asked: %j', async (why, patch) => {
    const ada = await person('viewer')
    const { id } = await ada.bot()
    await world.set(id, patch)
    expect(await ada.askForPictures()).toBe(0)
    expect(await ada.viewOf(id)).toMatchObject({ picture: null, no_picture: why })
  })
})

test('the last line of captions comes with its speaker, and who speaks now', async () => {
  const ada = await person('viewer')
  const { id, report } = await ada.bot()
  const participant = { id: 1, name: 'Ana Kovač', platform_id: 'p' }
  const speech = { type: 'speaker', participant, timestamp: 1, offset: 1, source: 'page', confidence: 1 } as const
  const line = { type: 'transcript', is_final: true, start: 1, end: 2, language: 'en' } as const
  await report({ ...speech, is_speaking: true })
  await report({ ...line, text: 'First', speaker: participant })
  await report({ ...line, text: 'Second', speaker: null })
  expect(await ada.viewOf(id)).toMatchObject({ speaker: 'Ana Kovač', line: { speaker: null, text: 'Second' } })
  await report({ ...speech, is_speaking: false })
  expect((await ada.viewOf(id)).speaker).toBeNull()
})

describe('parts of a recording', () => {
  test('a bot that never was lost has none', async () => {
    const ada = await person('viewer')
    const { id, report } = await ada.bot()
    const at = new Date().toISOString()
    const gap = { started_at: at, ended_at: at, reason: 'browser_died', offset: 7, seconds: 2.5 } as const
    await report({ type: 'recording_gap', ...gap })
    expect((await ada.send('GET', `/bots/${id}/parts`)).body.data).toEqual({
      waiting_room_seconds: 600,
      state: null,
      parts: [],
      gaps: [{ at: 7, seconds: 2.5, is_between_parts: false }],
    })
    expect((await (await person('owner')).send('GET', `/bots/${id}/parts`)).status).toBe(404)
  })

  test('a bot that came back has two, with the gap between them', async () => {
    const ada = await person('viewer')
    const { id } = await ada.bot()
    const first = { attempt: 1, seconds: 60, code: 'OOM_KILLED', reason: 'It had no memory left.' }
    await world.set(id, { parts: [first], attempt: 2, resuming_since: new Date(), phase: 'due', joined_attempt: null })
    expect((await ada.send('GET', `/bots/${id}/parts`)).body.data).toMatchObject({ state: 'resuming', gaps: [] })
    await world.set(id, { resuming_since: null, joined_attempt: 2, phase: 'running' })
    const resumed = { bot_id: id, attempt: 2, at: new Date(), kind: 'resumed', evidence: '{"missing_seconds": 12.5}' }
    await world.insert('bot_steps', resumed)
    expect((await ada.send('GET', `/bots/${id}/parts`)).body.data).toEqual({
      waiting_room_seconds: 600,
      state: null,
      parts: [
        { attempt: 1, begins: 0, seconds: 60, reason: 'It had no memory left.' },
        { attempt: 2, begins: 60, seconds: null, reason: null },
      ],
      gaps: [{ at: 60, seconds: 12.5, is_between_parts: true }],
    })
    await world.set(id, { phase: 'assembling' })
    expect((await ada.send('GET', `/bots/${id}/parts`)).body.data.state).toBe('assembling')
  })
})

test('the system page has queues, versions and the capacity of each launching process while it runs', async () => {
  const ada = await person('owner', operators)
  const full = { free: 0, limit: 4, reason: 'The quota is used up' }
  const report = reportCapacity(async () => full)
  const system = async () => (await ada.send('GET', '/system')).body.data
  await expect
    .poll(async () => (await system()).launchers)
    .toEqual([{ launcher: 'docker', version: '1.2.3', image: 'standin:1.2.3', ...full }])
  expect(await system()).toMatchObject({
    migrations: { newest: expect.stringMatching(/^\d{4}-/), missing: [] },
    waiting_commands: expect.any(Number),
    failing_endpoints: 0,
    waiting_deletions: 0,
  })
  await report.close()
  expect((await system()).launchers).toEqual([])
  expect((await (await person('member', ada.team)).send('GET', '/system')).status).toBe(403)
})

test('a launcher whose capacity cannot be read is logged and asked again', async () => {
  const warnings: string[] = []
  let asked = 0
  const failing = async () => {
    asked += 1
    throw new Error('The engine is away')
  }
  const log = { ...quiet, warn: (_fields: object, message: string) => warnings.push(message) }
  const report = reportCapacity(failing, { log, everyMs: 10 })
  await expect.poll(() => asked).toBeGreaterThan(1)
  await report.close()
  expect(warnings[0]).toBe('The capacity for bots could not be reported')
})

test('a dashboard that connects while the service stops does not hold it up', async () => {
  const other = await openWorld({ api: {} })
  const team = await other.team()
  const personId = (await createPerson(other.database, { ...team, name: 'Ada', email: null, role: 'viewer' }))!
  const cookie = `standin_session=${await openSession(other.database, personId)}`
  const address = await other.app.listen({ host: '127.0.0.1', port: 0 })
  // The first poll of a feed waits for this table.
  const locked = Promise.withResolvers<void>()
  const unlock = Promise.withResolvers<void>()
  const holding = other.database.transaction().execute(async (tx) => {
    await sql`lock table bots`.execute(tx)
    locked.resolve()
    await unlock.promise
  })
  await locked.promise
  const connecting = fetch(`${address}/dashboard/api/feed`, { headers: { cookie } })
  await expect.poll(() => waitingForLocks(other.database)).toBe(1)
  const closing = other.app.close()
  await setImmediate()
  unlock.resolve()
  expect((await connecting).status).toBe(503)
  await Promise.all([closing, holding])
})
