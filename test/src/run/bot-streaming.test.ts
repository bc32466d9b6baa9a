/**
 * Live sound in a worker run: it connects while the bot joins, starts and pauses with the recording, and ends first.
 */
import { expect, test } from 'vitest'
import { BotError } from '../../../core/errors.ts'
import type { Streaming } from '../../../core/ports.ts'
import { untilStopped, World } from '../../fakes/world.ts'

function withStreaming(changes: Partial<Streaming> = {}) {
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
  return { streaming, calls }
}

test('streaming starts with the recording, hears who speaks, rests in a pause and ends with the meeting', async () => {
  const { streaming, calls } = withStreaming()
  const world = new World((it) => {
    it.streaming = streaming
  })
  await world.untilStatus('in_call_recording')
  await world.pass(1, 1)
  const at = world.clock.now()
  const speaking = { type: 'speaking', participantId: 'p1', source: 'csrc', confidence: 1 } as const
  world.emit({ type: 'participant_joined', participant: { id: 'p1', name: 'Ann' }, at })
  world.emit({ ...speaking, isSpeaking: true, at })
  await world.command({ type: 'pause' })
  await world.command({ type: 'resume' })
  world.emit({ ...speaking, isSpeaking: false, at: at + 1 })
  await world.command({ type: 'leave' })
  const { exitCode, report } = await world.end()
  expect(report.streaming).toEqual({ input_seconds: 1.5, output_seconds: 6 })
  expect(calls).toEqual(['connect', 'start', 'Ann speaks', 'pause', 'resume', 'Ann stops', 'close'])
  expect(exitCode).toBe(0)
})

test('the report of a bot that streams nothing has no figures of streaming', async () => {
  const world = new World()
  await world.untilStatus('in_call_recording')
  await world.command({ type: 'leave' })
  expect(await world.report()).toMatchObject({ streaming: null, transcribed_seconds: null })
})

test('a socket that cannot be opened ends the bot before it has recorded', async () => {
  const { streaming, calls } = withStreaming({
    connect: async () => {
      throw new BotError('STREAMING_SETUP_FAILED', 'Nobody listens at agent.example', { step: 'streaming' })
    },
  })
  const world = new World((it) => {
    it.streaming = streaming
    it.join = async () => 'waiting_room'
    it.waitForAdmission = untilStopped
  })
  const { report, exitCode } = await world.end()
  expect(report).toMatchObject({ status: 'failed', error_code: 'STREAMING_SETUP_FAILED' })
  expect(exitCode).toBe(3)
  expect(calls).toEqual(['close'])
})

test('a voice that cannot be played into the recording is a failure of the machine, not a defect', async () => {
  const { streaming } = withStreaming({
    start: async () => {
      throw new Error('ffmpeg did not start')
    },
  })
  const world = new World((it) => {
    it.streaming = streaming
  })
  const { report, exitCode } = await world.end()
  expect(report).toMatchObject({ status: 'failed', error_code: 'INTERNAL_ERROR' })
  expect(exitCode).toBe(4)
})

test('a peer that does not let go cannot hold up the end', async () => {
  const { streaming } = withStreaming({ close: () => new Promise(() => {}) })
  const world = new World((it) => {
    it.streaming = streaming
  })
  await world.untilStatus('in_call_recording')
  await world.command({ type: 'leave' })
  const ended = world.end()
  await world.pass(10, 10)
  expect((await ended).exitCode).toBe(0)
})
