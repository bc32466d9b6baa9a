import { describe, expect, test } from 'vitest'
import { BotError } from '../../../packages/core/errors.ts'
import { IN_WAITING_ROOM, untilStopped, World } from '../../fakes/world.ts'
import { ann, recording as recordingBot } from './recording-bot.ts'

const dead = () => new BotError('INTERNAL_ERROR', 'The browser broke: it crashed.', { canRetry: true })

/** A bot that has recorded for ten seconds, in a meeting with Ann and Ben. */
async function recording(job?: Record<string, unknown>): Promise<World> {
  const world = await recordingBot({}, job, 10)
  // A browser takes its time; one that is in at once would leave no gap.
  world.join = (signal) => world.clock.sleep(2_000, signal).then(() => 'in_meeting')
  return world
}

function dies(world: World, error = dead()): void {
  world.emit({ type: 'failed', error })
}

/** Keeps the next join open until it is let in. */
function holdJoin(world: World): () => void {
  const held = Promise.withResolvers<'in_meeting'>()
  world.join = (signal) => Promise.race([held.promise, untilStopped(signal)])
  return () => held.resolve('in_meeting')
}

describe('a browser that crashes while time is recorded', () => {
  test('is replaced: the recording continues, and the missing time is marked', async () => {
    const world = await recording({ entry_message: 'Hello' })
    const letIn = holdJoin(world)
    dies(world)
    await world.clock.advance(7_000)
    letIn()
    await world.pass(5, 2)
    expect(world.spans).toHaveLength(2)
    const seconds = (world.spans[1]!.startedAt - world.spans[0]!.endedAt!) / 1000
    expect(seconds).toBeGreaterThanOrEqual(7)
    const gap = { offset: (world.spans[0]!.endedAt! - world.spans[0]!.startedAt) / 1000, seconds }
    expect(world.gaps).toMatchObject([{ ...gap, reason: 'browser_died' }])
    expect(world.calls.indexOf('close meeting')).toBeLessThan(world.calls.lastIndexOf('open meeting'))
    world.stop('command')
    const report = await world.report()
    expect(report).toMatchObject({ status: 'completed', gaps: [gap] })
    expect(world.statuses()).toEqual(['joining_call', 'in_call_not_recording', 'in_call_recording', 'completed'])
    const manifest = world.json('manifest.json')
    expect(manifest).toMatchObject({ gaps: [gap] })
    expect(manifest.spans).toHaveLength(2)
    expect(world.sentChat).toEqual(['Hello'])
  })

  test('counts the signals of all pages together', async () => {
    const world = await recording()
    world.signalCounts = { 'in_call.tile': 3, 'out.words': 0 }
    dies(world)
    await world.pass(5, 2)
    world.signalCounts = { 'in_call.tile': 4, 'out.words': 2 }
    world.stop('command')
    expect((await world.report()).signals).toEqual({ 'in_call.tile': 7, 'out.words': 2 })
  })

  test('tells only once that messages of the platform cannot be read', async () => {
    const world = await recording()
    const unread = () => world.emit({ type: 'unread_messages', channels: ['collections'] })
    unread()
    dies(world)
    await world.pass(5, 2)
    expect(world.spans).toHaveLength(2)
    unread()
    await world.pass(2, 2)
    const reported = world.events.filter((event) => event.type === 'notice' && event.message.includes('(collections)'))
    expect(reported).toMatchObject([{ level: 'warning' }])
  })

  test('ends the turns that were open; people keep their numbers, and only who is really gone has left', async () => {
    const world = await recording()
    world.speaks(ann.id, true)
    await world.pass(2, 2)
    dies(world)
    await world.clock.advance(3_000)
    // The platform gives Ann another id now, Ben is gone, and the bot's former self is still shown.
    world.joins({ id: 'devices/9', name: 'Ann' })
    world.joins({ id: 'devices/10', name: 'Standin' })
    world.speaks('devices/9', true)
    await world.pass(12, 2)
    world.stop('command')
    const report = await world.report()
    expect(report.participants.map(({ id, name }) => [id, name])).toEqual([
      [1, 'Ann'],
      [2, 'Ben'],
    ])
    const left = world.events.filter(({ type }) => type === 'participant_left')
    expect(left).toMatchObject([{ participant: { name: 'Ben' } }])
    expect(world.diarization()).toMatchObject([{ user_id: 1, end_time: world.gaps[0]!.offset }, { user_id: 1 }])
  })

  test('nothing is concluded from the meeting meanwhile, and a rule counts from the return', async () => {
    const world = await recording({ timeout_config: { silence_timeout: 30, everyone_left_timeout: 10 } })
    await world.pass(15, 2)
    const letIn = holdJoin(world)
    dies(world)
    await world.clock.advance(100_000)
    letIn()
    await world.pass(25, 2)
    expect(world.statuses()).not.toContain('completed')
    await world.pass(10, 2)
    expect(await world.report()).toMatchObject({ end_code: 'NO_SPEAKER' })
  })

  test('the waiting room may be long again, but not longer than the job allows', async () => {
    const world = await recording({ timeout_config: { waiting_room_timeout: 60 } })
    Object.assign(world, IN_WAITING_ROOM)
    dies(world)
    await world.clock.advance(55_000)
    expect(world.statuses()).toEqual(['joining_call', 'in_call_not_recording', 'in_call_recording'])
    expect(world.notices.at(-1)).toContain('waiting room')
    const { report, exitCode } = await world.end()
    expect(report).toMatchObject({ status: 'failed', error_code: 'INTERNAL_ERROR' })
    expect(report.error_message).toContain('The host did not admit the bot')
    expect(exitCode).toBe(4)
    expect(world.stored).toContain('video.mp4')
  })

  test('a wait for admission ends with the capture environment, and the next browser asks', async () => {
    const world = await recording()
    const { join, waitForAdmission } = world
    Object.assign(world, IN_WAITING_ROOM)
    dies(world)
    await world.clock.advance(10_000)
    Object.assign(world, { join, waitForAdmission })
    world.emitRecorder({ type: 'failed', lost: 'environment', error: new Error('The sound server died') })
    await world.pass(10, 2)
    expect(world.count('open meeting')).toBe(3)
    expect(world.spans).toHaveLength(2)
  })

  test('a platform that refuses is not asked twice', async () => {
    const world = await recording()
    world.join = () => Promise.reject(new BotError('CANNOT_JOIN_MEETING', 'The meeting has ended.'))
    dies(world)
    expect(await world.report()).toMatchObject({
      error_code: 'INTERNAL_ERROR',
      error_message: 'The browser broke: it crashed. The bot did not rejoin the meeting: The meeting has ended.',
    })
    expect(world.count('open meeting')).toBe(2)
  })

  test('three fresh browsers are enough for one meeting, whenever they die', async () => {
    const world = await recording()
    for (let death = 0; death < 3; death++) {
      dies(world)
      await world.clock.advance(3_000)
      await world.pass(30, 2)
    }
    expect(world.gaps).toHaveLength(3)
    dies(world)
    const { report } = await world.end()
    expect(report.error_message).toContain('the browser crashed 4 times')
    expect(world.count('open meeting')).toBe(4)
  })

  test('one that crashes while it joins is followed by the next', async () => {
    const world = await recording()
    let rights = 0
    world.obtainRecordingRight = async (_limitMs, signal) => {
      rights += 1
      if (rights > 1) return
      dies(world)
      await untilStopped(signal)
    }
    dies(world)
    await world.pass(20, 2)
    expect(world.count('open meeting')).toBe(3)
    expect(world.gaps).toHaveLength(1)
    world.stop('command')
    expect((await world.report()).status).toBe('completed')
  })

  test('a failure other than a crash of the browser ends the run as before', async () => {
    const world = await recording()
    dies(world, new BotError('INTERNAL_ERROR', 'The page shows neither the meeting nor its end.'))
    expect((await world.end()).exitCode).toBe(4)
    expect(world.count('open meeting')).toBe(1)
  })

  test('before the first frame no recording can be continued', async () => {
    const world = new World({ obtainRecordingRight: (_limitMs, signal) => untilStopped(signal) })
    await world.untilStatus('in_call_not_recording')
    dies(world)
    expect((await world.end()).exitCode).toBe(3)
    expect(world.count('open meeting')).toBe(1)
  })
})

describe('a command that comes meanwhile', () => {
  test('is obeyed if it is to leave', async () => {
    const world = await recording()
    holdJoin(world)
    dies(world)
    await world.clock.advance(2_000)
    expect(await world.command({ type: 'leave' })).toEqual({ ok: true })
    const { report, exitCode } = await world.end()
    expect(report).toMatchObject({ status: 'completed', end_code: 'API_REQUEST' })
    expect(exitCode).toBe(0)
    expect(world.count('close meeting')).toBe(2)
  })

  test('has an honest answer where it needs the meeting, and works again afterwards', async () => {
    const world = await recording()
    const letIn = holdJoin(world)
    dies(world)
    await world.clock.advance(1_000)
    const answer = await world.command({ type: 'send_chat', message: 'hi' })
    expect(answer).toMatchObject({ ok: false, code: 'FST_ERR_SEND_CHAT_MESSAGE_FAILED' })
    expect(answer).toMatchObject({ message: expect.stringContaining('is rejoining') })
    letIn()
    await world.pass(3, 2)
    expect(await world.command({ type: 'send_chat', message: 'hi' })).toEqual({ ok: true })
    expect(await world.command({ type: 'screenshot' })).toMatchObject({ ok: true })
  })

  test('a pause ends the gap, and a resume records again', async () => {
    const world = await recording()
    const letIn = holdJoin(world)
    dies(world)
    await world.clock.advance(4_000)
    expect(await world.command({ type: 'pause' })).toEqual({ ok: true })
    expect(world.gaps).toMatchObject([{ seconds: 4 }])
    letIn()
    await world.pass(20, 2)
    expect(world.spans).toHaveLength(1)
    expect(await world.command({ type: 'resume' })).toEqual({ ok: true })
    await world.pass(2, 2)
    expect(world.spans).toHaveLength(2)
    expect(world.gaps).toHaveLength(1)
    world.stop('command')
    expect((await world.report()).status).toBe('completed')
  })

  test('a resume is kept for the return', async () => {
    const world = await recording()
    await world.command({ type: 'pause' })
    const letIn = holdJoin(world)
    dies(world)
    await world.clock.advance(4_000)
    expect(await world.command({ type: 'resume' })).toMatchObject({ ok: true, data: { recording_waits: true } })
    expect(world.spans).toHaveLength(1)
    await world.clock.advance(6_000)
    letIn()
    await world.pass(2, 2)
    expect(world.spans).toHaveLength(2)
    expect(world.gaps).toMatchObject([{ seconds: expect.closeTo(6, 0) }])
  })
})

test('a machine that does not keep up paints less, in the browsers that follow too, and says so', async () => {
  const world = await recording()
  const progress = async (seconds: number, lagMs: number) => {
    for (let second = 0; second < seconds; second++) {
      const recorded = (world.clock.now() - world.spans[0]!.startedAt) / 1000
      const event = { type: 'progress', seconds: recorded, bytes: 1, droppedFrames: 0, lagMs } as const
      world.emitRecorder({ ...event })
      await world.pass(1, 2)
    }
  }
  await progress(3, 80)
  await progress(7, 900)
  const steps = () => world.calls.filter((call) => call.startsWith('picture '))
  expect(steps()).toEqual(['picture null at 0.5'])
  dies(world)
  await world.clock.advance(3_000)
  expect(steps()).toEqual(['picture null at 0.5', 'picture null at 0.5'])
  expect(world.events).toContainEqual(expect.objectContaining({ message: expect.stringContaining('not keep up') }))
})
