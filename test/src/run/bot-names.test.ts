/** How a recording reports the quality of the speaker names in it. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
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
  const world = new World((it) => {
    it.quality = MEASURED
  })
  await world.untilStatus('in_call_recording')
  const start = world.spans[0]!.startedAt
  const speaks = (isSpeaking: boolean, second: number, confidence = 0.9) =>
    world.emit({
      type: 'speaking',
      participantId: 'devices/1',
      isSpeaking,
      source: 'csrc',
      confidence,
      at: start + second * 1000,
    })
  world.emit({ type: 'participant_joined', participant: { id: 'devices/1', name: 'Ann' }, at: start })
  world.emitRecorder({ type: 'sound', isAudible: true, at: start + 1000 })
  speaks(true, 1)
  await world.pass(12, 1)
  speaks(false, 4)
  // Marks and levels contradict each other from here on.
  speaks(true, 9, 0.5)
  speaks(false, 11, 0.5)
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
  const manifest = JSON.parse(await readFile(join(world.workFolder, 'manifest.json'), 'utf8'))
  expect(manifest.quality).toEqual(quality)
})
