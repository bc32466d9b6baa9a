import fc from 'fast-check'
import { expect, test } from 'vitest'
import { recognizedIn } from '../../../src/transcription/providers/openai-answer.ts'
import { joined, utterancesOf } from '../../../src/transcription/speakers.ts'
import { subRip } from '../../../src/transcription/subtitles.ts'
import type { Word } from '../../../src/transcription/types.ts'

const read = (answer: unknown): Word[] => recognizedIn(answer)!.words
const said = (answer: unknown) => joined(read(answer))

const isMonotonic = (words: readonly Word[]) =>
  words.every(
    ({ start, end }, index) =>
      Number.isFinite(start) && start >= (words[index - 1]?.start ?? 0) && Number.isFinite(end) && end >= start,
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
        expect(cues.replace(/^\d+\n.*-->.*\nUnknown: /gm, '').replace(/\s+/g, '')).toBe(text.replaceAll(' ', ''))
      },
    ),
    { numRuns: 500 },
  )
})
