import fc from 'fast-check'
import { expect, test } from 'vitest'
import { recognizedIn } from '../../../src/transcription/providers/openai-answer.ts'
import { joined, utterancesOf } from '../../../src/transcription/speakers.ts'
import { subRip } from '../../../src/transcription/subtitles.ts'
import { spokenOf, type Token, wordsOfTokens } from '../../../src/transcription/tokens.ts'
import type { Word } from '../../../src/transcription/types.ts'

const read = (answer: unknown): Word[] => recognizedIn(answer)!.words
const said = (answer: unknown) => joined(read(answer))

const isMonotonic = (words: readonly Word[]) =>
  words.every(
    ({ start, end }, index) =>
      Number.isFinite(start) && start >= (words[index - 1]?.start ?? 0) && Number.isFinite(end) && end > start,
  )

test.each([
  ['今日の議題です', ['今日', 'の', '議題', 'です']],
  ['今日は OpenAI の議題です。', ['今日', 'は', 'Open', 'AI', 'の', '議題', 'です', '。']],
  ['今日はOpenAIの議題です。', ['今日', 'は', ' Open', 'AI', 'の', '議題', 'です', '。']],
  ['你 好', ['你', '好']],
  ['สวัสดีครับ', ['สวัส', 'ดี', 'ครับ']],
  ['Hello, New-York. It’s 100% done!', ['hello', 'new', 'york', 'it’s', '100', 'done']],
])('%s is joined as the text of the answer has it', (text, parts) => {
  const words = parts.map((word, index) => ({ word, start: index, end: index + 1 }))
  expect(said({ text, words })).toBe(text)
  expect(isMonotonic(read({ text, words }))).toBe(true)
})

test('without a text, letters of a script without blanks touch', () => {
  const token = (word: string, index: number) => ({ word, start: index, end: index + 1 })
  expect(said({ words: ['今日', 'の', '議題'].map(token) })).toBe('今日の議題')
  expect(said({ words: ['Hello', 'there', '.'].map(token) })).toBe('Hello there.')
})

test('one odd value loses no word and moves no other', () => {
  const words = [
    { word: 'one', start: 1, end: 1.5 },
    { word: 5, start: 1.5 },
    { word: 'three', start: 9999, end: 'x' },
    null,
    { word: 'five', start: 3, end: 3.5 },
    'six',
  ]
  const made = read({ text: 'one two three four five six', words })
  expect(joined(made)).toBe('one two three four five six')
  expect(made.map(({ start }) => start).every((start) => start < 4)).toBe(true)
  expect(isMonotonic(made)).toBe(true)
})

test('a text that is spelled in another way loses no token', () => {
  const words = ['it', 'costs', 'twenty', 'two', 'euros'].map((word, index) => ({ word, start: index, end: index + 1 }))
  expect(said({ text: 'It costs 22 euros.', words })).toBe('It costs 22 euros.')
  expect(said({ text: 'Something else', words })).toBe('it costs twenty two euros')
  expect(said({ text: 'It costs 22', words: words.slice(0, 4) })).toBe('It costs 22')
  expect(said({ text: 'costs twenty two euros', words })).toBe('it costs twenty two euros')
})

test('words at one moment share the time up to the next', () => {
  const at = (start: number) => (word: string) => ({ word, start, end: start })
  const made = read({ words: [...['one', 'two', 'three'].map(at(3)), at(4)('four')] })
  expect(made.map(({ start }) => start)).toEqual([3, expect.closeTo(3.35), expect.closeTo(3.675), 4])
})

test.each([
  [
    'whisper.cpp',
    {
      transcription: [
        { timestamps: { from: '00:00:01,000', to: '00:00:02,000' }, offsets: { from: 1000, to: 2000 }, text: ' Good' },
        { timestamps: { from: '00:00:02,000', to: '00:00:03,500' }, text: ' morning.' },
      ],
    },
  ],
  [
    'whisperX',
    {
      segments: [{ start: 1, end: 3.5, text: ' Good morning.', words: [{ word: 'Good', start: 1, score: 0.9 }] }],
      word_segments: [{ word: 'Good', start: 1, end: 2, score: 0.9 }, { word: 'morning.' }],
    },
  ],
  [
    'a diarized answer',
    {
      text: 'Good morning.',
      segments: [
        { type: 'transcript.text.segment', id: 's1', start: 1, end: 2, text: 'Good', speaker: 'A' },
        { type: 'transcript.text.segment', id: 's2', start: 2, end: 3.5, text: 'morning.', speaker: 'B' },
      ],
    },
  ],
  [
    'Groq',
    { text: ' Good morning.', segments: [{ start: 1, end: 3.5, text: ' Good morning.' }], x_groq: { id: 'req_1' } },
  ],
  ['numbers as text', { text: 'Good morning.', words: [{ word: 'Good', start: '1' }, { word: 'morning' }] }],
])('the form of %s is read', (name, answer) => {
  const words = read(answer)
  expect(words[0]).toMatchObject({ word: 'Good', start: 1 })
  expect(isMonotonic(words)).toBe(true)
  if (name !== 'whisperX') expect(joined(words)).toBe('Good morning.')
})

const isShown = (cues: string) => {
  const times = [...cues.matchAll(/^(\S+) --> (\S+)$/gm)]
  return times.length > 0 && times.every(([, start, end]) => start! < end!)
}

/** Words as a service gives them that joins them with blanks, and the text as people write it. */
const SCRIPTS: [string, string[], string][] = [
  ['Japanese', ['今日', 'の', '議題', 'です。', '明日', 'も', '会議', 'です。'], '今日の議題です。明日も会議です。'],
  ['Chinese', ['你', '好，', '世', '界！', '我', '们'], '你好，世界！我们'],
  ['wide digits', ['２０２６', '年', 'です。'], '２０２６年です。'],
  ['Thai', ['สวัสดี', 'ครับ', 'ทุก', 'คน'], 'สวัสดีครับทุกคน'],
  ['Korean', ['오늘', '회의를', '시작합니다.'], '오늘 회의를 시작합니다.'],
  ['mixed', ['今日は', 'OpenAI', 'の', '議題', 'です。'], '今日は OpenAI の議題です。'],
  ['English', ['Yes,', 'yes,', 'we', 'go.', 'Yes.'], 'Yes, yes, we go. Yes.'],
]

test.each(SCRIPTS)('%s is joined as it is written, with any text, times and order', (script, words, written) => {
  const texts = fc.constantFrom(words.join(' '), written, null)
  const lengths = fc.array(fc.constantFrom(0, 0.2), { minLength: words.length, maxLength: words.length })
  fc.assert(
    fc.property(texts, lengths, fc.constantFrom(0, 1), fc.nat(words.length - 1), (text, seconds, step, swapped) => {
      const tokens: Token[] = words.map((word, index) => {
        const start = 1 + step * index
        return { word, start, end: start + seconds[index]!, confidence: 0.9 }
      })
      // Two that change places can be told by their times alone.
      if (step > 0 && swapped > 0 && seconds[swapped]! > 0 && seconds[swapped - 1]! > 0)
        tokens.splice(swapped - 1, 2, tokens[swapped]!, tokens[swapped - 1]!)
      const { words: made, untimed } = spokenOf(tokens, text)
      expect(untimed).toBeUndefined()
      expect(joined(made)).toBe(written)
      expect(isMonotonic(made)).toBe(true)
      expect(isShown(subRip(utterancesOf(made, [], null)))).toBe(true)
      // Without tokens, the blanks of Thai may be those between sentences.
      if (text !== null) expect(spokenOf([], text)).toEqual({ words: [], untimed: script === 'Thai' ? text : written })
    }),
  )
})

test('words that come out of order are put in the order of the text, and without one in that of their times', () => {
  const text = ['one', 'two', 'three', 'four']
  const order = fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 })
  const times = fc.constantFrom('whole', 'starts', 'moments', 'none')
  fc.assert(
    fc.property(order, times, fc.boolean(), (places, given, hasText) => {
      if (!hasText && (given === 'starts' || given === 'none')) return
      // Without times, one word may be at another place.
      const moved = given === 'none' ? [places[0]!, ...[0, 1, 2, 3].filter((place) => place !== places[0])] : places
      const words = moved.map((place) => ({
        word: text[place]!,
        // A word may begin with the recording if it has a length.
        ...(given !== 'none' && { start: place + (given === 'whole' ? 0 : 1) }),
        ...(given === 'whole' && { end: 0.5 + place }),
        ...(given === 'moments' && { end: 1 + place }),
      }))
      const tokens = words.map((word) => ({ start: null, end: null, confidence: null, ...word }))
      const made = wordsOfTokens(tokens, hasText ? text.join(' ') : null)
      expect(joined(made)).toBe(text.join(' '))
      expect(isMonotonic(made)).toBe(true)
    }),
  )
})

const spaced = fc.array(fc.stringMatching(/^[A-Za-zÀ-ÿ]{1,9}[.,!?]?$/), { minLength: 1, maxLength: 40 })
const unspaced = fc.array(fc.constantFrom('今日', 'の', '議題', 'です', '。', 'タクシー', '我们'), {
  minLength: 1,
  maxLength: 40,
})
const speech = fc.oneof(
  spaced.map((words) => ({ words, text: words.join(' '), hasBlanks: true })),
  unspaced.map((words) => ({ words, text: words.join(''), hasBlanks: false })),
)

test('random words in any form of an answer come out whole, in order and once', () => {
  fc.assert(
    fc.property(
      speech,
      fc.constantFrom('whole words', 'bare words', 'parts', 'segments', 'times missing'),
      fc.infiniteStream(fc.nat(5)),
      ({ words, text, hasBlanks }, form, draw) => {
        const bits = draw[Symbol.iterator]()
        const next = () => bits.next().value as number
        const lead = hasBlanks ? ' ' : ''
        let at = 0
        const timed = (word: string) => {
          const start = at
          at += 0.1 + next() / 10
          return { word, start, end: at }
        }
        const parts = (word: string) => {
          const cut = Math.min(word.length, 1 + next())
          return [timed(lead + word.slice(0, cut)), ...(cut < word.length ? [timed(word.slice(cut))] : [])]
        }
        const answers = {
          'whole words': () => ({ text, words: words.map(timed) }),
          'bare words': () => ({ text, words: words.map((word) => timed(word.replace(/[.,!?。]$/, ''))) }),
          parts: () => ({ segments: [{ start: 0, end: 99, text: lead + text, words: words.flatMap(parts) }] }),
          segments: () => ({
            text,
            segments: words.map((word) => {
              const { start, end } = timed(word)
              return { start, end, text: lead + word }
            }),
          }),
          'times missing': () => ({
            text,
            words: words.map((word, index) => (index === 0 || next() > 2 ? timed(word) : { word })),
          }),
        }
        const made = read(answers[form]())
        expect(joined(made)).toBe(text)
        expect(isMonotonic(made)).toBe(true)
        const cues = subRip(utterancesOf(made, [], null))
        expect(isShown(cues)).toBe(true)
        expect(cues.replace(/^\d+\n.*-->.*\nUnknown: /gm, '').replace(/\s+/g, '')).toBe(text.replaceAll(' ', ''))
      },
    ),
    { numRuns: 500 },
  )
})
