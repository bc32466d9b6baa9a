/** Stored facts about a command of a bot: when it was sent, and when it was answered. */
import { addCommand, markSent, storeAnswer, wasAgentSwitchedOff } from '@standin/control-plane/store/bots/commands.ts'
import type { Answer } from '@standin/wire/control-link.ts'
import { expect, test } from 'vitest'
import { openWorld } from '../world.ts'

const world = await openWorld()
const bot = await world.addBot(await world.teamId(), { phase: 'active', status: 'in_call_recording' })

const rowOf = (id: string) => world.one('bot_commands', { id })

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

test('the agent of a bot is off where the last switch that worked was off', async () => {
  const answers: boolean[] = []
  for (const enabled of [false, true])
    for (const ok of [false, true]) {
      const id = await addCommand(world.database, bot, { type: 'agent', enabled }, 3600)
      await storeAnswer(world.database, bot, { type: 'answer', id, ok } as Answer)
      answers.push(await wasAgentSwitchedOff(world.database, bot))
    }
  expect(answers).toEqual([false, true, true, false])
})
