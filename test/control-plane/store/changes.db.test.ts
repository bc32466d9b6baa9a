import { randomUUID } from 'node:crypto'
import type { BotRow } from '@standin/control-plane/store/rows/index.ts'
import { expect, test } from 'vitest'
import { admitted } from '../../../control-plane/bots/admit.ts'
import { emptyChange } from '../../../control-plane/bots/change.ts'
import { launched } from '../../../control-plane/bots/launch.ts'
import { stopAsked } from '../../../control-plane/bots/stop.ts'
import { insertBot, lockBot, readBot } from '../../../control-plane/store/bots/bots.ts'
import { applyChange, applyChanges, applyStarted, writeEffects } from '../../../control-plane/store/bots/changes.ts'
import { type ClaimedBot, claimDue } from '../../../control-plane/store/bots/claims.ts'
import { addCommand } from '../../../control-plane/store/bots/commands.ts'
import { MEET, openWorld } from '../world.ts'

const db = await openWorld()
const teamId = await db.teamId()

const NOW = new Date('2026-11-20T09:00:00Z')

/** A bot as it is created: inserted with the patch of its admission, and everything that belongs to it. */
async function createBot(): Promise<BotRow> {
  return db.database.transaction().execute(async (tx) => {
    const toBe = {
      ...{ id: randomUUID(), team_id: teamId, phase: 'scheduled', generation: 'v2', bot_name: 'Bot', request: {} },
      ...{
        meeting_url: MEET,
        meeting_key: 'meet:abc-defg-hij',
        meeting_platform: 'meet',
        recording_mode: 'speaker_view',
      },
      extra: { list: [1, 'two'], text: 'a "quoted" word' },
    }
    const asked = { ...toBe, is_compat: false, event_id: null, is_scheduled: false, join_at: null }
    const change = admitted(asked, NOW)
    const bot = await insertBot(tx, { status: 'queued', ...toBe, ...change.patch })
    await writeEffects(tx, [{ bot, change }])
    return bot
  })
}

const read = async (id: string) => (await readBot(db.database, id))!
const transact = <T>(work: Parameters<ReturnType<typeof db.database.transaction>['execute']>[0]) =>
  db.database.transaction().execute(work) as Promise<T>
const reserved = async () => (await db.one('teams', { id: teamId }, ['reserved'])).reserved

test('an admitted bot has its row, its steps, its message and its reservation', async () => {
  const before = await reserved()
  const bot = await createBot()
  expect(bot).toMatchObject({ phase: 'due', status: 'queued', reserved: 500_000, version: 0 })
  expect(bot.extra).toEqual({ list: [1, 'two'], text: 'a "quoted" word' })
  const steps = await db.rows('bot_steps', { bot_id: bot.id }, ['kind'])
  expect(steps.map(({ kind }) => kind)).toEqual(['admitted', 'status'])
  expect(await reserved()).toBe(before + 500_000)
})

test('of two changes of one reading the first is written, and the second is not', async () => {
  const bot = await createBot()
  const change = stopAsked(bot, NOW)
  if ('refused' in change) throw new Error('refused')
  const before = await reserved()
  expect(await transact((tx) => applyChange(tx, bot, change))).toBe(true)
  expect(await transact((tx) => applyChange(tx, bot, change))).toBe(false)
  expect(await read(bot.id)).toMatchObject({ phase: 'closed', version: 1, reserved: 0 })
  expect(await reserved()).toBe(before - 500_000)
  const steps = await db.rows('bot_steps', { bot_id: bot.id }, ['kind'])
  expect(steps).toHaveLength(4)
})

test('twenty requests to leave at once cancel a bot once', async () => {
  const bot = await createBot()
  const stop = () =>
    transact<string>(async (tx) => {
      const locked = (await lockBot(tx, bot.id))!
      const change = stopAsked(locked, NOW)
      if ('refused' in change) return change.refused
      return String(await applyChange(tx, locked, change))
    })
  const results = await Promise.all(Array.from({ length: 20 }, stop))
  expect(results.sort()).toEqual([...Array(19).fill('failed'), 'true'])
  const messages = await db.rows('messages', { bot_id: bot.id }, ['event'])
  expect(messages.filter(({ event }) => event === 'bot.failed')).toHaveLength(2)
})

test('a change without a patch writes its steps and leaves the version', async () => {
  const bot = await createBot()
  const step = { at: NOW, attempt: 1, kind: 'link_lost' as const, reason: 'No word.', evidence: { seconds: 30 } }
  expect(await transact((tx) => applyChange(tx, bot, { ...emptyChange(), steps: [step] }))).toBe(true)
  expect((await read(bot.id)).version).toBe(0)
  const row = await db.one('bot_steps', { bot_id: bot.id, kind: 'link_lost' })
  expect(row).toMatchObject({ at: NOW, attempt: 1, reason: 'No word.', evidence: { seconds: 30 } })
})

test('lists and documents are stored as they are, NUL and half characters replaced', async () => {
  const bot = await createBot()
  const patchOf = (nul: string, half: string) => ({
    ...{ participants: [{ name: `A${nul}` }], speakers: [], extra: { half }, transcription_ids: ['x'] },
  })
  await transact((tx) => applyChange(tx, bot, { ...emptyChange(), patch: patchOf('\u0000', '\ud800') }))
  expect(await read(bot.id)).toMatchObject(patchOf('\ufffd', '\ufffd'))
})

test('a bot that is closed answers its open commands', async () => {
  const bot = await createBot()
  const leave = await addCommand(db.database, bot.id, { type: 'leave' }, 60)
  const chat = await addCommand(db.database, bot.id, { type: 'send_chat', message: 'Hi' }, 60)
  await transact((tx) => applyChange(tx, bot, stopAsked(bot, NOW) as never))
  const answers = await db.rows('bot_commands', {}, ['id', 'answer'])
  const answerOf = (id: string) => answers.find((row) => row.id === id)!.answer
  expect(answerOf(leave)).toEqual({ type: 'answer', id: leave, ok: true })
  expect(answerOf(chat)).toMatchObject({ type: 'answer', id: chat, ok: false, code: 'COMMAND_FAILED' })
})

test('several bots are changed in one statement, each in its own columns', async () => {
  const [one, two] = [await createBot(), await createBot()]
  const deadline = new Date('2026-11-20T10:00:00.123Z')
  const secrets = Buffer.from([0, 1, 255])
  await transact((tx) =>
    applyChanges(tx, [
      { bot: one, change: { ...emptyChange(), patch: { deadline_at: deadline, secrets, duration_seconds: 1.5 } } },
      { bot: two, change: { ...emptyChange(), patch: { extra: null, chat_is_available: false, reserved: 3 } } },
    ]),
  )
  const ofOne = { deadline_at: deadline, secrets, duration_seconds: 1.5, extra: one.extra, reserved: 500_000 }
  const ofTwo = { deadline_at: null, secrets: null, extra: null, chat_is_available: false, reserved: 3 }
  expect(await read(one.id)).toMatchObject({ ...ofOne, version: 1 })
  expect(await read(two.id)).toMatchObject({ ...ofTwo, version: 1 })
})

test('none of several changes is written where one of the bots has changed', async () => {
  const [one, two] = [await createBot(), await createBot()]
  const change = { ...emptyChange(), patch: { wait_reason: 'No room.' } }
  const both = [
    { bot: one, change },
    { bot: { ...two, version: 7 }, change },
  ]
  await expect(transact((tx) => applyChanges(tx, both))).rejects.toThrow('changed under its lock')
  expect(await read(one.id)).toMatchObject({ wait_reason: null, version: 0 })
})

test('of bots that were started, those that have changed since they were claimed are left as they are', async () => {
  const ids = [(await createBot()).id, (await createBot()).id]
  await db.database.updateTable('bots').set({ due_at: NOW }).where('id', 'in', ids).execute()
  const hashes = Array.from({ length: 2 }, () => Buffer.from(randomUUID()))
  const rules = { owner: 'me', launcher: 'process', limit: 2, leaseSeconds: 30 }
  const [first, second] = (await claimDue(db.database, rules, hashes)) as [ClaimedBot, ClaimedBot]
  // The second one was asked to leave in between.
  const asked = await read(second.id)
  const stop = stopAsked(asked, NOW)
  if ('refused' in stop) throw new Error('refused')
  await transact((tx) => applyChange(tx, asked, stop))
  const after = await read(second.id)
  const stored = await applyStarted(
    db.database,
    [second, first].map((bot) => ({ bot, change: launched(bot, 'process', NOW), handle: { name: `of ${bot.id}` } })),
  )
  expect(stored).toEqual(new Set([first.id]))
  expect(await read(first.id)).toMatchObject({ phase: 'starting', lease_owner: null, launched_at: NOW, version: 2 })
  expect(await read(second.id)).toEqual(after)
  const launches = (id: string) => db.rows('launches', { bot_id: id })
  expect(await launches(first.id)).toMatchObject([{ handle: { name: `of ${first.id}` }, started_at: expect.any(Date) }])
  expect(await launches(second.id)).toMatchObject([{ handle: null, started_at: null }])
  const steps = await db.rows('bot_steps', { kind: 'launched' })
  expect(steps).toMatchObject([{ bot_id: first.id, attempt: 1, at: NOW, evidence: { launcher: 'process' } }])
})
