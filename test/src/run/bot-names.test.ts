/** How a recording reports the quality of the speaker names in it. */
import { expect, test } from 'vitest'
import { World } from '../../fakes/world.ts'

const MEASURED = {
  sound_picture_offset_ms: 3,
  drift_ms: 1,
  frames_expected: 500,
  frames_captured: 500,
  frames_lost: 0,
  longest_gap_seconds: 0.04,
  clipped_share: 0,
  silent_share: 0.1,
  encoder_lag_ms: null,
}

test('the first sound without a name is reported in the final report and the manifest', async () => {
  const world = new World({ quality: MEASURED })
  await world.untilStatus('in_call_recording')
  const start = world.spans[0]!.startedAt
  world.joins({ id: 'a', name: 'Ann' }, start)
  world.emitRecorder({ type: 'sound', isAudible: true, at: start + 1000 })
  world.speaks('a', true, start + 1000)
  await world.pass(12, 1)
  world.speaks('a', false, start + 4000)
  // Marks and levels contradict each other from here on.
  world.speaks('a', true, start + 9000, 0.5)
  world.speaks('a', false, start + 11_000, 0.5)
  world.emitRecorder({ type: 'sound', isAudible: false, at: start + 11_200 })
  await world.command({ type: 'leave' })
  const { quality } = await world.report()
  expect(quality).toEqual({
    ...MEASURED,
    speech_without_name_seconds: 5,
    first_unnamed_at: 4,
    doubtful_seconds: 2,
    first_doubtful_at: 9,
  })
  expect(world.json('manifest.json').quality).toEqual(quality)
})
