/**
 * Live sound in a worker run: it connects while the bot joins, starts and pauses with the recording, and ends first.
 */
import { expect, test } from 'vitest'
import { BotError } from '../../../packages/core/errors.ts'
import type { Streaming } from '../../../packages/core/ports.ts'
import { IN_WAITING_ROOM, World } from '../../fakes/world.ts'

function withStreaming(changes: Partial<Streaming> = {}, setUp: Partial<World> = {}) {
  const calls: string[] = []
  const note = (call: string) => async () => void calls.push(call)
  const streaming: Streaming = {
    connect: note('connect'),
    start: note('start'),
    onSpeaker: ({ name }, isSpeaking) => void calls.push(`${name} ${isSpeaking ? 'speaks' : 'stops'}`),
    pause: () => void calls.push('pause'),
    resume: () => void calls.push('resume'),
    usage: () => ({ input_seconds: 1.5, output_seconds: 6 }),
    close: note('close'),
    ...changes,
  }
  return { world: new World({ streaming, ...setUp }), calls }
}

test('streaming starts with the recording, hears who speaks, rests in a pause and ends with the meeting', async () => {
  const { world, calls } = withStreaming()
  await world.untilStatus('in_call_recording')
  await world.pass(1, 1)
  world.joins({ id: 'p1', name: 'Ann' })
  world.speaks('p1', true)
  await world.command({ type: 'pause' })
  await world.command({ type: 'resume' })
  world.speaks('p1', false, world.clock.now() + 1)
  await world.command({ type: 'leave' })
  const { exitCode, report } = await world.end()
  expect(report.streaming).toEqual({ input_seconds: 1.5, output_seconds: 6 })
  expect(calls).toEqual(['connect', 'start', 'Ann speaks', 'pause', 'resume', 'Ann stops', 'close'])
  expect(exitCode).toBe(0)
})

test('a socket that cannot be opened ends the bot before it has recorded', async () => {
  const error = new BotError('STREAMING_SETUP_FAILED', 'Nobody listens at agent.example', { step: 'streaming' })
  const { world, calls } = withStreaming({ connect: () => Promise.reject(error) }, IN_WAITING_ROOM)
  const { report, exitCode } = await world.end()
  expect(report).toMatchObject({ status: 'failed', error_code: 'STREAMING_SETUP_FAILED' })
  expect(exitCode).toBe(3)
  expect(calls).toEqual(['close'])
})

test('a voice that cannot be played into the recording is a failure of the machine, not a defect', async () => {
  const { world } = withStreaming({ start: () => Promise.reject(new Error('ffmpeg did not start')) })
  const { report, exitCode } = await world.end()
  expect(report).toMatchObject({ status: 'failed', error_code: 'INTERNAL_ERROR' })
  expect(exitCode).toBe(4)
})

test('a peer that does not let go cannot hold up the end', async () => {
  const { world } = withStreaming({ close: () => new Promise(() => {}) })
  await world.untilStatus('in_call_recording')
  await world.command({ type: 'leave' })
  const ended = world.end()
  await world.pass(10, 10)
  expect((await ended).exitCode).toBe(0)
})
