/** Stored facts about a command of a bot: when it was sent, and when it was answered. */
import { randomUUID } from 'node:crypto'
import { addCommand, markSent, storeAnswer } from '@standin/control-plane/store/bots/commands.ts'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../webhooks/world.ts'

let world: World
let bot: string
beforeAll(async () => {
  world = await openWorld(4)
  bot = randomUUID()
  const { rows } = await sql<{ id: string }>`insert into teams (name) values ('T') returning id`.execute(world.database)
  await sql`
    insert into bots (id, team_id, generation, phase, status, bot_name, meeting_url, meeting_key, meeting_platform,
      recording_mode, request, is_exclusive)
    values (${bot}, ${rows[0]!.id}, 'v2', 'active', 'in_call_recording', 'Bot', 'x', 'x', 'meet', 'speaker_view',
      '{}'::jsonb, false)`.execute(world.database)
})
afterAll(() => world.close())

const rowOf = (id: string) =>
  world.database.selectFrom('bot_commands').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

test('a command whose answer holds its row while it is to be marked counts as sent', async () => {
  const { database } = world
  const id = await addCommand(database, bot, { type: 'leave' }, 3600)
  await database.transaction().execute(async (tx) => {
    expect(await storeAnswer(tx, bot, { type: 'answer', id, ok: true })).toBe(true)
    // Over another connection, as a link does: it skips the locked row, and must not wait for it.
    await markSent(database, [id])
  })
  const { sent_at: sentAt, answered_at: answeredAt } = await rowOf(id)
  expect(sentAt).not.toBeNull()
  expect(answeredAt).not.toBeNull()
})

test('an answer leaves the time at which a command was sent', async () => {
  const { database } = world
  const id = await addCommand(database, bot, { type: 'leave' }, 3600)
  await markSent(database, [id])
  const { sent_at: sentAt } = await rowOf(id)
  await storeAnswer(database, bot, { type: 'answer', id, ok: true })
  expect((await rowOf(id)).sent_at).toEqual(sentAt)
  expect(sentAt).not.toBeNull()
})
