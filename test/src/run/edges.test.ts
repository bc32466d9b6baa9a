/** From when to when a meeting is recorded. */
import { expect, test } from 'vitest'
import { untilStopped, World } from '../../fakes/world.ts'
import { ann, recording } from './recording-bot.ts'

const endOfRecording = (world: World): number => Date.parse(world.json('manifest.json').spans[0].ended_at)

test('the recorder stands by before the bot is in, and the recording begins at the first proof', async () => {
  const admission = Promise.withResolvers<void>()
  const world = new World((it) => {
    it.join = async () => {
      it.readyToStandBy()
      return 'waiting_room'
    }
    it.waitForAdmission = () => admission.promise
  })
  await world.untilStatus('in_waiting_room')
  await world.clock.advance(60_000)
  expect(world.calls.filter((call) => /stand by|start recording/.test(call))).toEqual(['stand by'])
  expect([world.spans, world.mayRenew()]).toEqual([[], true])
  const provenAt = world.clock.now()
  world.provenAt = provenAt
  expect(world.mayRenew()).toBe(false)
  await world.clock.advance(4000)
  admission.resolve()
  await world.untilStatus('in_call_recording')
  expect(world.spans).toEqual([{ startedAt: provenAt, endedAt: null }])
  const status = world.events.find((event) => event.type === 'status_change' && event.status === 'in_call_recording')
  expect(status).toMatchObject({ start_time: provenAt / 1000 })
  // Speech from before the admission was certain has its place.
  world.joins(ann)
  world.speaks(ann.id, true, provenAt + 1000)
  world.speaks(ann.id, false, provenAt + 3000)
  await world.pass(2, 1)
  await world.command({ type: 'leave' })
  const report = await world.report()
  expect(Date.parse(report.joined_at ?? '')).toBe(provenAt)
  expect(world.diarization()).toMatchObject([{ speaker: 'Ann', start_time: 1, end_time: 3 }])
})

test('an admission that turned out to be the waiting room is recorded from the true one on only', async () => {
  const world = new World((it) => {
    it.provenAt = it.clock.now() + 1000
    it.join = async () => {
      it.readyToStandBy()
      return 'in_meeting'
    }
    // The right to record takes a while, and meanwhile the page shows the waiting room again.
    it.obtainRecordingRight = async () => {
      it.provenAt = null
    }
  })
  await world.untilStatus('in_call_recording')
  expect(world.spans[0]!.startedAt).toBeGreaterThanOrEqual(world.clock.now() - 20)
})

test('a bot that is never admitted leaves no trace of the recorder that was on standby', async () => {
  const world = new World((it) => {
    it.join = async () => {
      it.readyToStandBy()
      return 'waiting_room'
    }
    it.waitForAdmission = untilStopped
  })
  await world.untilStatus('in_waiting_room')
  const { report } = await world.end()
  expect(report).toMatchObject({ error_code: 'TIMEOUT_WAITING_TO_START', duration_seconds: null })
  expect([world.spans, world.stored.includes('video.mp4')]).toEqual([[], false])
})

test('the recording ends at the first sign of the end, however late that was sure', async () => {
  const world = await recording({}, {}, 20)
  const endedAt = world.clock.now()
  await world.clock.advance(7000)
  world.emit({ type: 'ended', end: 'ended_for_all', text: 'It ended', at: endedAt })
  const report = await world.report()
  expect(report).toMatchObject({ end_code: 'BOT_REMOVED' })
  expect(endOfRecording(world)).toBe(endedAt)
  expect(report.duration_seconds).toBeCloseTo((endedAt - world.spans[0]!.startedAt) / 1000, 3)
})

test('a bot that is ordered to leave records until then', async () => {
  const world = await recording({}, {}, 5)
  const reportedAt = world.clock.now()
  await world.command({ type: 'leave' })
  await world.report()
  expect(endOfRecording(world)).toBeGreaterThanOrEqual(reportedAt)
})
