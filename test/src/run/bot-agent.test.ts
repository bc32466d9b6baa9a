/** An agent in a worker run: it gets the meeting, rests in a pause, is switched by commands, and ends with the bot. */
import { expect, test } from 'vitest'
import type { Agent, AgentMeeting } from '../../../packages/core/ports.ts'
import { ann, recording } from './recording-bot.ts'

async function withAgent(setEnabled: Agent['setEnabled'] = async () => {}, job?: Record<string, unknown>) {
  const calls: string[] = []
  let meeting: AgentMeeting | null = null
  const agent: Agent = {
    start: (_environment, given) => {
      meeting = given
      calls.push('start')
    },
    onMeeting: (event) => void (event.type === 'speaking' && calls.push(`speaks ${event.isSpeaking}`)),
    onWords: () => {},
    pause: () => void calls.push('pause'),
    resume: () => void calls.push('resume'),
    hush: () => void calls.push('hush'),
    async setEnabled(isEnabled) {
      calls.push(`enabled ${isEnabled}`)
      await setEnabled(isEnabled)
    },
    close: async () => void calls.push('close'),
  }
  const world = await recording({ agent }, job)
  return { world, calls, meeting: meeting! as AgentMeeting }
}

test('it hears the meeting from the start of the recording, and obeys until the bot ends', async () => {
  const { world, calls } = await withAgent()
  world.speaks(ann.id, true)
  await world.command({ type: 'agent', enabled: false })
  await world.command({ type: 'agent', enabled: true })
  await world.command({ type: 'stop_saying' })
  await world.command({ type: 'pause' })
  await world.command({ type: 'resume' })
  world.stop('command')
  await world.end()
  expect(calls).toEqual(['start', 'speaks true', 'enabled false', 'enabled true', 'hush', 'pause', 'resume', 'close'])
})

test('one that was off when its bot crashed is off before it starts again', async () => {
  const continues = { has_seen_others: true, is_paused: false, is_agent_off: true }
  const { calls } = await withAgent(undefined, { continues })
  expect(calls).toEqual(['enabled false', 'start'])
})

test('it acts through the bot: chat that is noted, names, instants of words, and leaving', async () => {
  const { world, meeting } = await withAgent()
  await meeting.sendChat('Hello')
  expect(world.sentChat).toEqual(['Hello'])
  expect(world.events).toContainEqual(expect.objectContaining({ type: 'chat_message' }))
  expect([meeting.nameOf(ann.id), meeting.nameOf('other')]).toEqual(['Ann', ''])
  const start = world.spans[0]!.startedAt
  expect(meeting.instantOf(0.5)).toBe(start + 500)
  meeting.leave()
  expect((await world.end()).exitCode).toBe(0)
})

test('one that is over says why it cannot be switched on', async () => {
  const { world } = await withAgent(() => Promise.reject(new Error('The agent reached its limit.')))
  const answer = await world.command({ type: 'agent', enabled: true })
  expect(answer).toEqual({ ok: false, code: 'COMMAND_FAILED', message: 'The agent reached its limit.' })
})
