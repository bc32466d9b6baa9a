import { expect, test } from 'vitest'
import { createVoices } from '../../../../../platforms/shared/page/audio/speech.ts'
import { createSpeechDetector } from '../../../../../platforms/shared/page/audio/speech-detector.ts'

/** Levels every 50 ms, of which each lasts so long; what is said of the voice, with the milliseconds since. */
function hear(...levels: [level: number, ms: number][]): string[] {
  const detector = createSpeechDetector()
  const said: string[] = []
  let now = 0
  const watch = createVoices((id, isHeard, at) => said.push(`${now} ${id} ${isHeard ? 'is heard' : 'pauses'} ${at}`))
  for (const [level, ms] of levels)
    for (const end = now + ms; now < end; now += 50) {
      const samples = level > 0 ? [{ participantIds: ['ann'], level }] : []
      detector.observe({ kind: 'levels', samples, at: now })
      watch(detector.heard(), now)
    }
  return said
}

test('a voice begins at its first sound, pauses after 150 ms without any, and goes on in the same turn', () => {
  expect(hear([0, 100], [0.3, 400], [0, 300], [0.015, 200], [0, 900], [0.3, 50])).toEqual([
    '100 ann is heard 100',
    '600 ann pauses 450',
    '800 ann is heard 800',
    '1100 ann pauses 950',
    '1900 ann is heard 1900',
  ])
})

test('a gap within a word is none, and marks of the page are no sound', () => {
  expect(hear([0.3, 400], [0, 100], [0.3, 100])).toEqual(['0 ann is heard 0'])
  const detector = createSpeechDetector()
  for (const at of [0, 100]) detector.observe({ kind: 'page_mark', participantId: 'ann', at })
  expect([detector.speaking(), detector.heard()]).toEqual([['ann'], new Map()])
})
