import { expect, test } from 'vitest'
import { createHeldVoices } from '../../../../../platforms/shared/page/audio/held-voices.ts'
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

/** One packet while each of these shares the sound, and a last look at who does. */
test.each<[string, string[][], string[]]>([
  ['who becomes known later gets what was said until then', [[], [], ['ann'], ['ann']], ['ann 0', 'ann 1', 'ann 2']],
  [
    'sound that several participants share is given to none of them, also when only one of them stays',
    [['ann', 'bob'], ['ann', 'bob'], ['ann']],
    [],
  ],
  ['those who share a sound may become known late', [[], ['ann', 'bob'], ['ann']], []],
  ['and one of them may have a sound of their own before', [['ann'], ['ann', 'bob'], ['ann'], []], ['ann 0', 'ann 2']],
])('%s', (_what, known, expected) => {
  const sent: string[] = []
  let participants: string[] = []
  const voices = createHeldVoices(
    () => participants,
    (id, { at }) => sent.push(`${id} ${at}`),
  )
  for (const [at, people] of known.entries()) {
    participants = people
    if (at < known.length - 1) voices.add('4711', { at, opus: new Uint8Array() })
    voices.release()
  }
  expect(sent).toEqual(expected)
})
