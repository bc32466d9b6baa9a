/** The page's rows and the words from them, together: no word is lost, and none is said twice. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Poll, type ShownRow, utterancesFrom } from './caption-run.ts'
import { type Drawn, draw, printed, speech } from './caption-speech.ts'

const WORDS = Array.from({ length: 150 }, (_, index) => `w${index}`)

const pollsOf = (drawn: string) =>
  drawn
    .trim()
    .split('\n')
    .map((line): Poll => {
      const [at, ...rows] = line.trim().split(' | ')
      return [Number(at), rows.map((row) => /^(\w+) (\w*): (.*)$/.exec(row)!.slice(1) as unknown as ShownRow)]
    })

describe('captions on a page', () => {
  /** Each line is a poll: from when on, and the rows that are shown then, as element, name and text. */
  const cases: [string, string, string][] = [
    [
      'another text in the same element',
      `
      1000 | s : First sentence is over.
      6000 | s : Second one begins
      6500 | s : Second one begins here now.
      `,
      'First sentence is over. | Second one begins here now.',
    ],
    [
      'the oldest element is used again for the newest row',
      `
      1000 | a Ann: So it is a test.
      4000 | a Ann: So it is a test. | b Ann: Maybe it is good.
      8000 | b Ann: Maybe it is good. | a Ann: But I do not know.
      `,
      'So it is a test. | Maybe it is good. | But I do not know.',
    ],
    [
      'texts move to the element above',
      `
      1000 | a Ann: One is here now. | b Ann: Two is here now.
      5000 | a Ann: Two is here now. | b Ann: Three is here now.
      `,
      'One is here now. | Two is here now. | Three is here now.',
    ],
    [
      'a second row that is like the first',
      `
      1000 | a Ann: Can you hear me?
      5000 | a Ann: Can you hear me? | b Ann: Can you hear me now?
      `,
      'Can you hear me? | Can you hear me now?',
    ],
    [
      'a second row that is like the first, at once',
      `
      1000 | a Ann: Can you hear me?
      1250 | a Ann: Can you hear me? | b Ann: Can you hear me?
      `,
      'Can you hear me? | Can you hear me?',
    ],
    [
      'every update has another element',
      `
      1000 | a Ann: We start with the budget today.
      2500 | b Ann: We start with the budget today. And then
      3500 | c Ann: We start with the budget today. And then we rest.
      `,
      'We start with the budget today. And then we rest.',
    ],
    [
      'the name comes late',
      `
      1000 | a : Hello Bob.
      1500 | a Ann: Hello Bob. How
      2000 | a Ann: Hello Bob. How are you?
      `,
      'Hello Bob. How are you?',
    ],
    [
      'all rows are gone for a moment and drawn again',
      `
      1000 | a Ann: We start with the budget. | b Ann: And
      1500
      1750 | c Ann: We start with the budget. | d Ann: And then
      `,
      'We start with the budget. | And | then',
    ],
    [
      'a row is drawn again with another first word',
      `
      1000 | a Ann: Bell we start now. | b Ben: We see it
      1750 | c Ann: Well we start now. And | d Ben: He see it again
      `,
      'We see it | Well we start now. And | He see it again',
    ],
    [
      'a sentence that differs from an earlier one in its first word alone',
      `
      1000 | a Ann: Then we see it.
      4000 | b Ann: Now we see it.
      `,
      'Then we see it. | Now we see it.',
    ],
    [
      'a window that slides over a phrase that is said again',
      `
      1000 | a Ann: then good yes yes now yes know
      1250 | a Ann: now yes know yes yes now yes know
      `,
      'then good yes yes now yes know yes yes now yes know',
    ],
    [
      'a text that moves up is not a text that lost its first word',
      `
      1000 | a Ann: well now we go | b Ann: now we go
      1500 | a Ann: now we go | b Ann: home
      `,
      'well now we go | now we go | home',
    ],
    [
      'a text that moves up leaves its element to a longer word',
      `
      1000 | a Ann: yes | b Ben: we
      1500 | a Ben: we | b : well
      1750 | a Ben: we | b Ann: well
      `,
      'yes | we | well',
    ],
    [
      'a word that begins like the last one of the row before, after a while',
      `
      1000 | a : so we
      5000 | a : so well
      `,
      'so we | so well',
    ],
    [
      'the same element shows the same sentence after a while without captions',
      `
      1000 | a : Can you hear me?
      4000
      6000 | a : Can you hear me?
      `,
      'Can you hear me? | Can you hear me?',
    ],
  ]

  test.each(cases)('%s', (_, drawn, wanted) => {
    expect(
      utterancesFrom(pollsOf(drawn))
        .map(({ text }) => text)
        .join(' | '),
    ).toBe(wanted)
  })

  test('a window that slides over a speech without pauses', () => {
    const polls = WORDS.map((_, index): Poll => {
      const text = WORDS.slice(Math.max(0, index - 29), index + 1).join(' ')
      return [1000 + index * 400, [['a', 'Ann', text]]]
    })
    const texts = utterancesFrom(polls).map(({ text }) => text)
    expect(texts.join(' ')).toBe(WORDS.join(' '))
  })
})

/** For a search with more cases, set RUNS. */
const RUNS = Number(process.env.RUNS ?? 5000)

test('a random speech in a random window comes out whole, in the order of each speaker, once', () => {
  const result = fc.check(
    fc.property(speech.map(draw), (drawn) => JSON.stringify(heard(drawn)) === JSON.stringify([...drawn.said].sort())),
    { numRuns: RUNS },
  )
  const [worst] = result.counterexample ?? []
  const report = worst && `${printed(worst)}\nsaid:  ${show([...worst.said])}\nheard: ${show(heard(worst))}`
  expect(report && `seed ${result.seed}, path ${result.counterexamplePath}\n${report}`).toBeUndefined()
})

const show = (said: readonly [string, string][]) => said.map(([name, text]) => `${name || '–'}: ${text}`).join(' / ')

/** The reported words of each speaker, by name. */
function heard({ polls }: Drawn): [string, string][] {
  const texts = Map.groupBy(utterancesFrom(polls), ({ speaker }) => speaker)
  return [...texts].map(([name, all]): [string, string] => [name, all.map(({ text }) => text).join(' ')]).sort()
}
