import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { SpeechChange } from '../../../platforms/shared/page/audio/speech-detector.ts'
import { watchZoomSpeech, type ZoomSpeech } from '../../../platforms/zoom/page/speech.ts'

const LOUD = 0.2

let changes: SpeechChange[]
let levels: Record<number, number>
let mix: number | null
let numbers: Record<string, number>
let speech: ZoomSpeech

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 })
  changes = []
  levels = {}
  mix = 0
  numbers = {}
})
afterEach(() => {
  vi.useRealTimers()
})

/** The sounds of the `known` people have their numbers. All microphones are open. */
function begin(people: string[], known: Record<string, number> = {}): void {
  numbers = { ...known }
  const present = people.map((id) => ({ id, name: id, isHost: false, userId: null }))
  speech = watchZoomSpeech({
    sound: {
      mix: () => mix,
      spectra: () => [],
      people: () => {
        const heard = Object.entries(levels).map(([userId, level]) => ({ userId: Number(userId), level }))
        return heard.length === 0 ? null : heard
      },
    },
    roster: {
      present: () => present,
      ofUser: (userId) => present.find(({ id }) => numbers[id] === userId) ?? null,
      takeOwner: (userId, id) => {
        numbers[id] ??= userId
      },
    },
    peopleCount: () => people.length + 1,
    isReported: () => true,
    emit: (emitted) => changes.push(...emitted),
  })
}

/** Looks four times a second at who is marked, for so long. */
function passes(ms: number, ...marked: string[]): void {
  for (let passed = 0; passed < ms; passed += 250) {
    speech.update(
      marked.map((id) => ({ id, isMuted: false })),
      Date.now(),
    )
    vi.advanceTimersByTime(250)
  }
}

const reported = () => changes.map(({ participantId, isSpeaking, at }) => [participantId, isSpeaking, at - 1_000_000])

test('a mark that lingers beside the sound of another one begins nothing', () => {
  begin(['ann', 'bob'], { ann: 1, bob: 2 })
  levels = { 1: LOUD, 2: LOUD }
  passes(1000, 'ann', 'bob')
  levels = { 1: LOUD, 2: 0 }
  passes(3000, 'ann', 'bob')
  expect(reported().filter(([id]) => id === 'bob')).toEqual([
    ['bob', true, 100],
    ['bob', false, 1000],
  ])
  expect([...speech.speaking()]).toEqual(['ann'])
})

test('a sound without a name is reported from its beginning when the mark has come', () => {
  begin(['ann', 'bob', 'cleo'], { ann: 1 })
  levels = { 1: 0, 2: 0, 3: 0 }
  passes(1000)
  levels = { 1: 0, 2: LOUD, 3: 0 }
  passes(500)
  passes(1000, 'bob')
  levels = { 1: 0, 2: 0, 3: 0 }
  passes(1000, 'bob')
  expect(reported()).toEqual([
    ['bob', true, 1100],
    ['bob', false, 2500],
  ])
})

test('the last sound is the last person’s', () => {
  begin(['ann', 'bob'], { ann: 1 })
  levels = { 1: 0, 2: 0 }
  passes(500)
  expect(numbers).toEqual({ ann: 1 })
  levels = { 1: 0, 2: LOUD }
  passes(500)
  expect(numbers).toEqual({ ann: 1, bob: 2 })
  expect([...speech.speaking()]).toEqual(['bob'])
})

test("sound that comes outside the participants' own tracks is attributed by the marks", () => {
  begin(['ann', 'bob'], { ann: 1, bob: 2 })
  levels = { 1: 0, 2: 0 }
  mix = LOUD
  passes(3000, 'bob')
  expect(changes).toMatchObject([{ participantId: 'bob', isSpeaking: true, source: 'audio_level' }])
})

test('where no sound can be read the marks have to do', () => {
  begin(['ann', 'bob'])
  mix = null
  passes(2000, 'ann')
  expect(changes).toMatchObject([{ participantId: 'ann', isSpeaking: true, source: 'page' }])
})
