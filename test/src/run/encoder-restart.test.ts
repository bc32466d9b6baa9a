import { expect, test } from 'vitest'
import { BotError } from '../../../core/errors.ts'
import type { RecorderLoss } from '../../../core/recording.ts'
import { World } from '../../fakes/world.ts'

/** A bot that has recorded for ten seconds, and whose encoders take a second to start. */
async function recording(): Promise<World> {
  const world = new World()
  await world.untilStatus('in_call_recording')
  await world.pass(10, 2)
  world.resumeRecording = () => world.clock.sleep(1_000)
  return world
}

function loses(world: World, lost: RecorderLoss, message = 'The encoder died (SIGSEGV)'): void {
  world.emitRecorder({ type: 'failed', lost, error: new Error(message), at: world.clock.now() })
}

const gapsOf = (world: World) => world.events.filter((event) => event.type === 'recording_gap')
const noticesOf = (world: World) => world.events.flatMap((event) => (event.type === 'notice' ? [event.message] : []))
const count = (world: World, call: string) => world.calls.filter((made) => made === call).length

test('an encoder that crashes is replaced: the recording continues, and the missing time is marked', async () => {
  const world = await recording()
  loses(world, 'encoder')
  await world.pass(5, 2)
  expect(world.spans).toHaveLength(2)
  const [first, second] = world.spans
  const gap = { offset: (first!.endedAt! - first!.startedAt) / 1000, seconds: 1, reason: 'encoder_died' }
  expect(second!.startedAt - first!.endedAt!).toBe(1_000)
  expect(gapsOf(world)).toMatchObject([gap])
  expect(noticesOf(world)).toEqual(['The encoder died (SIGSEGV); the encoder is restarted (1 of 3).'])
  expect(count(world, 'open meeting')).toBe(1)
  world.stop('command')
  expect(await world.report()).toMatchObject({ status: 'completed', gaps: [gap] })
  expect(world.statuses()).toEqual(['joining_call', 'in_call_not_recording', 'in_call_recording', 'completed'])
})

test('one that does not start is followed by another', async () => {
  const world = await recording()
  let starts = 0
  world.resumeRecording = () => (++starts < 3 ? Promise.reject(new Error('no picture')) : Promise.resolve())
  loses(world, 'encoder')
  await world.pass(5, 2)
  expect(starts).toBe(3)
  expect(gapsOf(world)).toMatchObject([{ seconds: 2 }])
  world.stop('command')
  expect(await world.report()).toMatchObject({ status: 'completed' })
})

test('encoders that crash one soon after the other end the run, and the recording is kept', async () => {
  const world = await recording()
  for (let death = 0; death < 4; death++) {
    loses(world, 'encoder')
    await world.pass(20, 2)
  }
  const { report, exitCode } = await world.end()
  expect(report).toMatchObject({
    status: 'failed',
    error_code: 'INTERNAL_ERROR',
    error_message: 'The encoder died (SIGSEGV); the recording could not continue: 3 new encoders failed soon too.',
  })
  expect(exitCode).toBe(4)
  expect(world.stored).toContain('video.mp4')
})

test('encoders that record for a while may die as often as they do', async () => {
  const world = await recording()
  for (let death = 0; death < 6; death++) {
    loses(world, 'encoder')
    await world.pass(70, 2)
  }
  expect(gapsOf(world)).toHaveLength(6)
  world.stop('command')
  expect(await world.report()).toMatchObject({ status: 'completed' })
})

test('a pause that comes while one is being replaced is kept, and only the time before it is missing', async () => {
  const world = await recording()
  loses(world, 'encoder')
  await world.clock.advance(500)
  const paused = world.command({ type: 'pause' })
  await world.pass(5, 2)
  expect(await paused).toMatchObject({ ok: true })
  expect(world.statuses().at(-1)).toBe('recording_paused')
  expect(gapsOf(world)).toMatchObject([{ seconds: 1, reason: 'encoder_died' }])
  const resumed = world.command({ type: 'resume' })
  await world.pass(5, 2)
  expect(await resumed).toEqual({ ok: true })
  expect(world.spans.at(-1)!.endedAt).toBeNull()
  expect(gapsOf(world)).toHaveLength(1)
})

test('a caller who asks the bot to leave need not wait for an encoder that does not start', async () => {
  const world = await recording()
  world.resumeRecording = () => new Promise(() => {})
  loses(world, 'encoder')
  await world.pass(2, 2)
  world.stop('command')
  // Missing time at the end is marked as everywhere else.
  const gap = { seconds: 2, reason: 'encoder_died' }
  expect(await world.report()).toMatchObject({ status: 'completed', end_code: 'API_REQUEST', gaps: [gap] })
  expect(gapsOf(world)).toMatchObject([gap])
})

test('where the display crashed, the capture environment is set up again and a new browser joins, once', async () => {
  const world = await recording()
  world.join = (signal) => world.clock.sleep(2_000, signal).then(() => 'in_meeting')
  // Programs on the display crash with it, in any order.
  loses(world, 'encoder')
  loses(world, 'environment', 'The display server died (SIGKILL)')
  const error = new BotError('INTERNAL_ERROR', 'The browser broke: it crashed.', { canRetry: true })
  world.emit({ type: 'failed', error, at: world.clock.now() })
  await world.pass(15, 2)
  expect(world.calls.slice(world.calls.indexOf('close meeting'))).toEqual([
    'close meeting',
    'prepare environment',
    'open meeting',
    'join',
    'prepareRecording',
  ])
  expect(gapsOf(world)).toMatchObject([{ reason: 'browser_died' }])
  expect(world.spans).toHaveLength(2)
  world.stop('command')
  expect(await world.report()).toMatchObject({ status: 'completed' })
})
