/** Commands to a bot that runs. */
import type { BotCommand } from '@standin/wire/commands.ts'
import { expect, test } from 'vitest'
import { ChatUnavailable } from '../../../packages/core/errors.ts'
import { IN_WAITING_ROOM, World } from '../../fakes/world.ts'
import { ann, recording } from './recording-bot.ts'

const HI = { type: 'send_chat', message: 'hi' } as const
const LIVE = { type: 'screenshot', live: true } as const

const AGENT_OFF = { type: 'agent', enabled: false } as const
const SAY = { type: 'say', text: 'hi', interrupt: false, replace: false } as const

test.each<BotCommand>([HI, { type: 'pause' }, { type: 'resume' }, LIVE, SAY, { type: 'stop_saying' }, AGENT_OFF])(
  "are refused with the interface's code where the status does not allow them: $type",
  async (command) => {
    const world = new World(IN_WAITING_ROOM)
    await world.untilStatus('in_waiting_room')
    expect(await world.command(command)).toMatchObject({ ok: false, code: 'FST_ERR_BOT_STATUS' })
  },
)

test.each([
  [new ChatUnavailable(), 'FST_ERR_CHAT_DISABLED'],
  [new Error('not confirmed'), 'FST_ERR_SEND_CHAT_MESSAGE_FAILED'],
])('chat that is switched off is distinguished from chat that fails: %s', async (error, code) => {
  const world = await recording({ sendChat: () => Promise.reject(error) })
  expect(await world.command(HI)).toMatchObject({ code })
})

test('a bot without an agent says so', async () => {
  const world = await recording()
  expect(await world.command(AGENT_OFF)).toEqual({
    ok: false,
    code: 'COMMAND_FAILED',
    message: 'The bot has no agent.',
  })
})

test('pause and resume cut the pause out of every time', async () => {
  const world = await recording({}, {}, 10)
  const start = world.spans[0]!.startedAt
  expect(await world.command({ type: 'pause', chat_message: 'Pausing' })).toMatchObject({ ok: true })
  expect(await world.command({ type: 'pause' })).toMatchObject({ code: 'FST_ERR_BOT_STATUS' })
  const pausedAt = world.clock.now()
  await world.pass(20, 2)
  expect(await world.command({ type: 'resume' })).toMatchObject({ ok: true })
  const resumedAt = world.clock.now()
  world.speaks(ann.id, true, pausedAt - 2000)
  world.speaks(ann.id, false, resumedAt + 3000)
  await world.pass(10, 2)
  world.stop('command')
  const report = await world.report()
  expect(world.statuses()).toContain('recording_resumed')
  const firstPart = (pausedAt - start) / 1000
  expect(world.diarization()).toMatchObject([
    { start_time: firstPart - 2, end_time: firstPart },
    { start_time: firstPart, end_time: firstPart + 3 },
  ])
  expect(report.duration_seconds).toBeCloseTo(firstPart + (world.spans[1]!.endedAt! - resumedAt) / 1000, 3)
  expect(world.sentChat).toEqual(['Pausing'])
})

test('people who are there when the bot leaves in a pause were there until then, with those who came in it', async () => {
  const world = await recording()
  await world.command({ type: 'pause' })
  await world.pass(5, 2)
  world.joins({ id: 'devices/3', name: 'Cem' })
  await world.pass(5, 3)
  const left_at = new Date(world.clock.now()).toISOString()
  world.stop('command')
  await world.end()
  const visits = [{ left_at }]
  expect(world.json('participants.json')).toMatchObject([{ visits }, { visits }, { visits }])
})

test('a bot that continues for one that was paused is paused as soon as it records', async () => {
  const world = new World({}, { continues: { has_seen_others: true, is_paused: true } })
  await world.untilStatus('recording_paused')
  expect(world.statuses()).toEqual(['joining_call', 'in_call_not_recording', 'in_call_recording', 'recording_paused'])
  await world.pass(5, 1)
  expect(await world.command({ type: 'resume' })).toMatchObject({ ok: true })
  world.stop('command')
  expect((await world.report()).duration_seconds).toBeLessThan(5)
})

test('a bot that continues where other participants were does not wait for the first of them', async () => {
  const timeout_config = { everyone_left_timeout: 20, no_one_joined_timeout: 600 }
  const world = new World({}, { continues: { has_seen_others: true, is_paused: false }, timeout_config })
  await world.untilStatus('in_call_recording')
  await world.pass(25, 0)
  const end_message = expect.stringContaining('left')
  expect(await world.report()).toMatchObject({ end_code: 'NO_ATTENDEES', end_message })
})

test('a screenshot becomes a stored file', async () => {
  const world = await recording()
  const data = { name: 'screenshots/0001.png' }
  expect(await world.command({ type: 'screenshot' })).toMatchObject({ ok: true, data })
  world.stop('command')
  await world.end()
  expect(world.stored).toContain(data.name)
})

test('a live screenshot is stored and reported before the end, and replaces the last one', async () => {
  const world = await recording()
  const shot = { name: 'screenshots/live.png' }
  for (const _time of [1, 2]) expect(await world.command(LIVE)).toMatchObject({ ok: true, data: shot })
  expect(world.stored).toEqual([shot.name, shot.name])
  const artifacts = world.events.filter(({ type }) => type === 'artifact')
  expect(artifacts).toMatchObject([{ artifact: shot }, { artifact: shot }])
})

test('a live screenshot that is too large is refused in words', async () => {
  const world = await recording({ takeScreenshot: async () => new Uint8Array(9 * 1024 * 1024) })
  const message = expect.stringContaining('too large')
  expect(await world.command(LIVE)).toMatchObject({ ok: false, code: 'COMMAND_FAILED', message })
  expect(world.stored).toEqual([])
})
