import { expect, test } from 'vitest'
import { BotError } from '../../../packages/core/errors.ts'
import type { RecorderLoss } from '../../../packages/core/recording.ts'
import type { World } from '../../fakes/world.ts'
import { recording } from './recording-bot.ts'

/** A bot whose encoders take a second to start, and whose encoder crashed. */
async function afterLoss(setUp: Partial<World> = {}): Promise<World> {
  const world = await recording({}, {}, 10)
  Object.assign(world, { resumeRecording: () => world.clock.sleep(1_000) }, setUp)
  loses(world)
  return world
}

function loses(world: World, lost: RecorderLoss = 'encoder'): void {
  world.emitRecorder({ type: 'failed', lost, error: new Error('The encoder died (SIGSEGV)') })
}

test('an encoder that crashes is replaced: the recording continues, and the missing time is marked', async () => {
  const world = await afterLoss()
  await world.pass(5, 2)
  const [first, second] = world.spans
  const gap = { offset: (first!.endedAt! - first!.startedAt) / 1000, seconds: 1, reason: 'encoder_died' }
  expect(second!.startedAt - first!.endedAt!).toBe(1_000)
  expect(world.gaps).toMatchObject([gap])
  expect(world.notices).toEqual(['The encoder died (SIGSEGV); the encoder is restarted (1 of 3).'])
  expect(world.count('open meeting')).toBe(1)
  world.stop('command')
  expect(await world.report()).toMatchObject({ status: 'completed', gaps: [gap] })
  expect(world.statuses()).toEqual(['joining_call', 'in_call_not_recording', 'in_call_recording', 'completed'])
})

test('one that does not start is followed by another', async () => {
  let starts = 0
  const resumeRecording = () => (++starts < 3 ? Promise.reject(new Error('no picture')) : Promise.resolve())
  const world = await afterLoss({ resumeRecording })
  await world.pass(5, 2)
  expect(starts).toBe(3)
  expect(world.gaps).toMatchObject([{ seconds: 2 }])
  world.stop('command')
  expect(await world.report()).toMatchObject({ status: 'completed' })
})

test('encoders that crash one soon after the other end the run, and the recording is kept', async () => {
  const world = await afterLoss()
  for (let death = 1; death < 4; death++) {
    await world.pass(20, 2)
    loses(world)
  }
  const { report, exitCode } = await world.end()
  expect(report).toMatchObject({
    error_code: 'INTERNAL_ERROR',
    error_message: 'The encoder died (SIGSEGV); the recording could not continue: 3 new encoders failed soon too.',
  })
  expect(exitCode).toBe(4)
  expect(world.stored).toContain('video.mp4')
})

test('encoders that record for a while may die as often as they do', async () => {
  const world = await afterLoss()
  for (let death = 1; death < 6; death++) {
    await world.pass(70, 2)
    loses(world)
  }
  await world.pass(5, 2)
  expect(world.gaps).toHaveLength(6)
  world.stop('command')
  expect(await world.report()).toMatchObject({ status: 'completed' })
})

test('a pause that comes while one is being replaced is kept, and only the time before it is missing', async () => {
  const world = await afterLoss()
  await world.clock.advance(500)
  const paused = world.command({ type: 'pause' })
  await world.pass(5, 2)
  expect(await paused).toMatchObject({ ok: true })
  expect(world.statuses().at(-1)).toBe('recording_paused')
  expect(world.gaps).toMatchObject([{ seconds: 1, reason: 'encoder_died' }])
  const resumed = world.command({ type: 'resume' })
  await world.pass(5, 2)
  expect(await resumed).toEqual({ ok: true })
  expect(world.spans.at(-1)!.endedAt).toBeNull()
  expect(world.gaps).toHaveLength(1)
})

test('a caller who asks the bot to leave need not wait for an encoder that does not start', async () => {
  const world = await afterLoss({ resumeRecording: () => new Promise(() => {}) })
  await world.pass(2, 2)
  world.stop('command')
  // Missing time at the end is marked as everywhere else.
  const gap = { seconds: 2, reason: 'encoder_died' }
  expect(await world.report()).toMatchObject({ status: 'completed', end_code: 'API_REQUEST', gaps: [gap] })
  expect(world.gaps).toMatchObject([gap])
})

test('where the display crashed, the capture environment is set up again and a new browser joins, once', async () => {
  // Programs on the display crash with it, in any order.
  const world = await afterLoss()
  world.join = (signal) => world.clock.sleep(2_000, signal).then(() => 'in_meeting')
  loses(world, 'environment')
  world.emit({ type: 'failed', error: new BotError('INTERNAL_ERROR', 'The browser broke.', { canRetry: true }) })
  await world.pass(15, 2)
  const steps = ['close meeting', 'prepare environment', 'open meeting', 'join', 'prepareRecording']
  expect(world.calls.slice(world.calls.indexOf('close meeting'))).toEqual(steps)
  expect(world.gaps).toMatchObject([{ reason: 'browser_died' }])
  expect(world.spans).toHaveLength(2)
  world.stop('command')
  expect(await world.report()).toMatchObject({ status: 'completed' })
})
