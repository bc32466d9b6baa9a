/** From when to when a meeting is recorded. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { untilStopped, World } from '../../fakes/world.ts'
import { ann } from './recording-bot.ts'

interface Manifest {
  spans: { started_at: string; ended_at: string }[]
}

async function manifestOf(world: World): Promise<Manifest> {
  return JSON.parse(await readFile(join(world.workFolder, 'manifest.json'), 'utf8'))
}

test('the recorder stands by before the bot is in, and the recording begins at the first proof', async () => {
  let admit = () => {}
  const world = new World((it) => {
    it.join = async () => {
      it.readyToStandBy()
      return 'waiting_room'
    }
    it.waitForAdmission = () =>
      new Promise((resolve) => {
        admit = resolve
      })
  })
  await world.untilStatus('in_waiting_room')
  await world.clock.advance(60_000)
  expect(world.calls.filter((call) => /stand by|start recording/.test(call))).toEqual(['stand by'])
  expect([world.spans, world.mayRenew()]).toEqual([[], true])
  const provenAt = world.clock.now()
  world.provenAt = provenAt
  expect(world.mayRenew()).toBe(false)
  await world.clock.advance(4000)
  admit()
  await world.untilStatus('in_call_recording')
  expect(world.spans).toEqual([{ startedAt: provenAt, endedAt: null }])
  const status = world.events.find((event) => event.type === 'status_change' && event.status === 'in_call_recording')
  expect(status).toMatchObject({ start_time: provenAt / 1000 })
  // Speech from before the admission was certain has its place.
  world.emit({ type: 'participant_joined', participant: ann, at: provenAt + 4000 })
  const speaks = { type: 'speaking', participantId: ann.id, source: 'csrc', confidence: 0.9 } as const
  world.emit({ ...speaks, isSpeaking: true, at: provenAt + 1000 })
  world.emit({ ...speaks, isSpeaking: false, at: provenAt + 3000 })
  await world.pass(2, 1)
  await world.command({ type: 'leave' })
  const report = await world.report()
  expect(Date.parse(report.joined_at ?? '')).toBe(provenAt)
  const [segment] = (await readFile(join(world.workFolder, 'diarization.jsonl'), 'utf8')).trim().split('\n')
  expect(JSON.parse(segment!)).toMatchObject({ speaker: 'Ann', start_time: 1, end_time: 3 })
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
    it.waitForAdmission = (signal) => untilStopped(signal)
  })
  await world.untilStatus('in_waiting_room')
  const { report } = await world.end()
  expect(report).toMatchObject({ error_code: 'TIMEOUT_WAITING_TO_START', duration_seconds: null })
  expect([world.spans, world.stored.includes('video.mp4')]).toEqual([[], false])
})

test('the recording ends at the first sign of the end, however late that was sure', async () => {
  const world = new World()
  await world.untilStatus('in_call_recording')
  await world.pass(20, 2)
  const endedAt = world.clock.now()
  await world.clock.advance(7000)
  world.emit({ type: 'ended', end: 'ended_for_all', text: 'It ended', at: endedAt })
  const report = await world.report()
  expect(report).toMatchObject({ end_code: 'BOT_REMOVED' })
  const { spans } = await manifestOf(world)
  expect(Date.parse(spans[0]!.ended_at)).toBe(endedAt)
  expect(report.duration_seconds).toBeCloseTo((endedAt - world.spans[0]!.startedAt) / 1000, 3)
})

test('a bot that is ordered to leave records until then', async () => {
  const world = new World()
  await world.untilStatus('in_call_recording')
  await world.pass(5, 2)
  const reportedAt = world.clock.now()
  await world.command({ type: 'leave' })
  await world.report()
  expect(Date.parse((await manifestOf(world)).spans[0]!.ended_at)).toBeGreaterThanOrEqual(reportedAt)
})
