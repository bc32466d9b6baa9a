import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Print, piecesOf, toldApart } from '../../../src/transcription/told-apart.ts'
import type { Utterance } from '../../../src/transcription/types.ts'

/** `room: hello there. | yes`: a bar is a pause of half a second, a word takes half a second. */
function utterances(...lines: string[]): Utterance[] {
  let at = 0
  return lines.map((line, number) => {
    const [speaker, said] = line.split(': ') as [string, string]
    const words = said.split(' ').flatMap((word) => {
      const start = at
      at += 0.5
      return word === '|' ? [] : [{ word, start, end: at, confidence: null }]
    })
    // Between two utterances.
    at += 2
    const userId = speaker === 'Unknown' ? null : speaker.codePointAt(0)!
    const text = words.map(({ word }) => word).join(' ')
    return { speaker, userId, start: words[0]!.start, end: words.at(-1)!.end, text, language: null, words, number }
  })
}

const lines = (of: readonly Utterance[]) => of.map(({ speaker, text }) => `${speaker}: ${text}`)
const print = (...values: number[]): Print => Float32Array.from(values)
const [ANN, BOB, COUGH] = [print(1, 0, 0.1), print(0, 1, -0.1), print(0, 0, 5)]
const LONG = 'one two three four five six seven.'
const voices = { ann: ANN, bob: BOB, cough: COUGH, short: null } as const

test.each<[string, string[], (keyof typeof voices)[], string[]]>([
  [
    'two people, one after the other without a pause',
    [`room: ${LONG} ${LONG}`],
    ['ann', 'bob'],
    [`room (voice 1): ${LONG}`, `room (voice 2): ${LONG}`],
  ],
  ['one person stays one', [`room: ${LONG} | ${LONG}`], ['ann', 'ann'], [`room: ${LONG} ${LONG}`]],
  [
    'a short piece goes with the one before it',
    [`room: ${LONG} | no. | yes`, `room: ${LONG}`],
    ['bob', 'short', 'short', 'ann'],
    [`room (voice 1): ${LONG} no. yes`, `room (voice 2): ${LONG}`],
  ],
  [
    'what is heard too seldom is no voice',
    [`room: ${LONG} | hm hm hm | ${LONG}`],
    ['ann', 'cough', 'ann'],
    [`room: ${LONG} hm hm hm ${LONG}`],
  ],
  [
    'others keep their names, in order of time, and each microphone counts by itself',
    [`room: ${LONG}`, `cleo: ${LONG}`, `room: ${LONG}`, `Unknown: ${LONG}`],
    ['bob', 'ann', 'ann'],
    [`room (voice 1): ${LONG}`, `cleo: ${LONG}`, `room (voice 2): ${LONG}`, `Unknown: ${LONG}`],
  ],
  [
    'a second look counts anew',
    [`room (voice 2): ${LONG}`, `room (voice 1): ${LONG}`],
    ['ann', 'bob'],
    [`room (voice 1): ${LONG}`, `room (voice 2): ${LONG}`],
  ],
])('%s', (_what, said, heard, expected) => {
  const given = utterances(...said)
  const pieces = piecesOf(given)
  expect(pieces).toHaveLength(heard.length)
  expect(
    lines(
      toldApart(
        given,
        pieces,
        heard.map((name) => voices[name]),
      ),
    ),
  ).toEqual(expected)
})

test('no word is lost or moved, whatever the prints are', () => {
  const numbers = fc.array(fc.float({ noNaN: true, min: -9, max: 9 }), { minLength: 3, maxLength: 3 })
  const turn = fc.tuple(
    fc.constantFrom('a', 'b', 'Unknown'),
    fc.array(fc.constantFrom('one', 'two.', '|', 'x'), { minLength: 1 }),
  )
  fc.assert(
    fc.property(
      fc.array(turn, { minLength: 1, maxLength: 9 }),
      fc.infiniteStream(fc.option(numbers)),
      (turns, prints) => {
        const given = utterances(...turns.map(([speaker, words]) => `${speaker}: x ${words.join(' ')}`))
        const pieces = piecesOf(given)
        const found = toldApart(
          given,
          pieces,
          pieces.map(() => prints.next().value).map((one) => one && print(...one)),
        )
        const words = (of: readonly Utterance[]) =>
          of.flatMap((one) => one.words.map(({ word, start }) => `${one.userId} ${start} ${word}`)).sort()
        expect(words(found)).toEqual(words(given))
      },
    ),
  )
})
