import { expect, test } from 'vitest'
import { createSpeechDetector } from '../../../platforms/shared/page/audio/speech-detector.ts'
import { MarkedSound } from '../../../platforms/zoom/page/marked-sound.ts'
import { type Mark, MarkJudge } from '../../../platforms/zoom/page/speakers.ts'
import { spectraOf } from './voices.ts'

type Turn = readonly [id: string, from: number, to: number]

const LOUD = 0.2
/** Everything is later than this, as on a real clock. */
const BEGIN = 1_000_000
/** The sound is played this much after the marks that belong to it. */
const LATE_MS = 250
/** A mark is looked at every quarter of a second, and believed at the second look. */
const NEAR_MS = 500

/**
 * The reported turns of a talk. Its marks stay for `lingerMs`, or until another participant begins. `areHeard` says
 * whether
 * the spectra of voices are available. Times in milliseconds.
 */
function reportedTurns(said: readonly Turn[], lingerMs: number, areHeard = false): Turn[] {
  const sound = new MarkedSound()
  const judge = new MarkJudge()
  const detector = createSpeechDetector()
  const reported: [string, number, number][] = []
  let marks: Mark[] = []
  const last = Math.max(...said.map(([, , to]) => to))
  for (let at = 0; at < last + lingerMs + 2000; at += 50) {
    if (at % 250 === 0) {
      const marked = said.filter(([, from, to]) => {
        const isTaken = said.some(([, other]) => other > to && other <= at)
        return at >= from && (at < to || (at < to + lingerMs && !isTaken))
      })
      const ids = [...new Set(marked.map(([id]) => id))]
      marks = judge.update(
        ids.map((id) => ({ id, isMuted: false })),
        BEGIN + at,
      )
    }
    if (at % 100 !== 0) continue
    const speakers = said.filter(([, from, to]) => at >= from + LATE_MS && at < to + LATE_MS).map(([id]) => id)
    const spectra = areHeard ? spectraOf(speakers, at) : []
    const samples = sound.round(speakers.length > 0 ? LOUD : 0, marks, BEGIN + at, spectra)
    for (const change of detector.observe({ kind: 'levels', samples, at: BEGIN + at })) {
      if (change.isSpeaking) reported.push([change.participantId, change.at - BEGIN, Number.NaN])
      else reported.findLast(([id]) => id === change.participantId)![2] = change.at - BEGIN
    }
  }
  return reported
}

function expectNear(reported: readonly Turn[], said: readonly Turn[]): void {
  expect(reported.map(([id]) => id)).toEqual(said.map(([id]) => id))
  for (const [index, [id, from, to]] of said.entries()) {
    const [, begins, ends] = reported[index]!
    expect(Math.abs(begins - from - LATE_MS), `${id} begins at ${begins}, not ${from}`).toBeLessThanOrEqual(NEAR_MS)
    expect(Math.abs(ends - to - LATE_MS), `${id} ends at ${ends}, not ${to}`).toBeLessThanOrEqual(NEAR_MS)
  }
}

test.each([500, 3000])('marks that stay for %i ms: turns, yeses, two at once and pauses', (lingerMs) => {
  const said: Turn[] = [
    ['ann', 0, 4000],
    ['bob', 9000, 16_000],
    // A yes into the words of another participant, who is still speaking when its mark is gone.
    ['cleo', 11_000, 11_400],
    // Begins before the other has ended.
    ['ann', 15_000, 20_000],
    ['dan', 25_000, 27_000],
    ['dan', 32_000, 34_000],
  ]
  expectNear(reportedTurns(said, lingerMs), said)
})

test('a silence is no sign of a mark, and a mark without a sound none of speech', () => {
  const sound = new MarkedSound()
  expect(sound.round(0, [{ id: 'ann', since: 0 }], 100)).toEqual([])
  expect(sound.round(LOUD, [], 200)).toEqual([])
})

test('a participant who begins again while the old mark still shows is recognized by it', () => {
  const said: Turn[] = [
    ['ann', 0, 3000],
    ['ann', 4500, 7500],
  ]
  expectNear(reportedTurns(said, 3000), said)
})

test('a participant who left gets no end of a turn', () => {
  const sound = new MarkedSound()
  const marks = ['ann', 'bob'].map((id) => ({ id, since: 0 }))
  for (let at = 100; at < 1000; at += 100) sound.round(LOUD, marks, at)
  sound.forget('ann')
  expect(sound.round(LOUD, [marks[1]!], 1000).flatMap(({ participantIds }) => participantIds)).toEqual(['bob'])
})

test('voices that were captured alone decide who continues, in words whose marks all disappear at once', () => {
  const said: Turn[] = [
    ['ann', 0, 4000],
    ['bob', 8000, 12_000],
    ['ann', 16_000, 22_000],
    // A yes, and the end of what was begun first: the next one takes the mark of both.
    ['bob', 19_500, 20_000],
    ['cleo', 22_500, 25_000],
    ['ann', 30_000, 34_000],
    ['bob', 33_000, 35_500],
    ['cleo', 36_000, 39_000],
  ]
  expectNear(reportedTurns(said, 3000, true), said)
})

test('a pause that another participant fills is detected, although the mark shows all the time', () => {
  const said: Turn[] = [
    ['ann', 0, 4000],
    ['bob', 8000, 12_000],
    ['ann', 16_000, 19_000],
    ['bob', 18_500, 21_000],
    ['ann', 20_800, 24_000],
  ]
  expectNear(reportedTurns(said, 3000, true), said)
})

test('who is marked and was never heard alone has all that may be theirs', () => {
  const said: Turn[] = [
    ['ann', 0, 3000],
    ['bob', 2000, 4000],
    ['cleo', 4500, 7000],
  ]
  const reported = reportedTurns(said, 3000, true)
  expect(reported.map(([id]) => id)).toEqual(['ann', 'bob', 'cleo'])
  expect(reported[0]![2]).toBeGreaterThanOrEqual(3000)
})
