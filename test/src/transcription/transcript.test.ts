import { describe, expect, test } from 'vitest'
import { cutsOf } from '../../../src/transcription/audio-chunks.ts'
import { inOneBreath, utterancesOf } from '../../../src/transcription/speakers.ts'
import { subRip, webVtt } from '../../../src/transcription/subtitles.ts'
import type { Turn, Word } from '../../../src/transcription/types.ts'

const word = (text: string, start: number, end = start + 0.3): Word => ({ word: text, start, end, confidence: null })
const ann = (start: number, end: number): Turn => ({ speaker: 'Ann', userId: 1, start, end })
const ben = (start: number, end: number): Turn => ({ speaker: 'Ben', userId: 2, start, end })
const reported = (words: Word[], turns: Turn[]) =>
  utterancesOf(words, turns, 'en').map(({ speaker, text }) => `${speaker}: ${text}`)

describe('whose words they are', () => {
  test('a word belongs to the participant who speaks during most of it', () => {
    const words = [word('Good', 0), word('morning', 0.4), word('Yes', 1.9), word('thanks', 2.3)]
    expect(reported(words, [ann(0, 2), ben(2, 4)])).toEqual(['Ann: Good morning', 'Ben: Yes thanks'])
  })

  test('in cross talk a word that both cover belongs to the earlier speaker', () => {
    const words = [word('I', 0), word('mean', 1), word('that', 2), word('Right', 4)]
    expect(reported(words, [ann(0, 3), ben(0.9, 5)])).toEqual(['Ann: I mean that', 'Ben: Right'])
  })

  test('a word just outside of a turn belongs to it; a word far from all turns has no speaker', () => {
    expect(reported([word('So', 4.4), word('Hello', 9)], [ann(5, 6)])).toEqual(['Ann: So', 'Unknown: Hello'])
    expect(reported([word('Hello', 9)], [])).toEqual(['Unknown: Hello'])
  })

  test('two people of one name stay two', () => {
    const namesake = { speaker: 'Ann', userId: 7, start: 1, end: 2 }
    expect(reported([word('Hello', 0), word('hi', 1.2)], [ann(0, 1), namesake])).toEqual(['Ann: Hello', 'Ann: hi'])
  })

  test('pieces without a pause between them are one utterance', () => {
    const piece = (start: number, text: string, turn = ann(0, 9)) => utterancesOf([word(text, start)], [turn], null)[0]!
    const pieces = [piece(2, 'two'), piece(1, 'one'), piece(3, 'no', ben(0, 9)), piece(3.4, 'three'), piece(8, 'four')]
    expect(inOneBreath(pieces).map(({ speaker, text }) => `${speaker}: ${text}`)).toEqual([
      ...['Ann: one two', 'Ben: no', 'Ann: three', 'Ann: four'],
    ])
  })

  test('a pause ends an utterance, and so does a sentence in a long one', () => {
    expect(reported([word('One', 0), word('two', 3)], [ann(0, 5)])).toEqual(['Ann: One', 'Ann: two'])
    const long = Array.from({ length: 50 }, (_, index) => word(index === 29 ? 'end.' : 'on', index))
    expect(reported(long, [ann(0, 60)]).map((text) => text.split(' ').length - 1)).toEqual([30, 20])
  })

  test('words that bring their own blanks are joined as they are', () => {
    expect(reported([word('你', 0), word('好', 0.3)], [ann(0, 2)])).toEqual(['Ann: 你 好'])
    expect(reported([word(' New', 0), word('-', 0.3), word('York', 0.6)], [ann(0, 2)])).toEqual(['Ann: New-York'])
  })
})

describe('subtitles', () => {
  const words = Array.from({ length: 40 }, (_, index) => word('word', index * 0.5))
  const long = utterancesOf(words, [ann(0, 30)], 'en')

  test('have times, speakers and cues of two lines', () => {
    const text = webVtt(long)
    expect(text.startsWith('WEBVTT\n\n00:00:00.000 --> 00:00:08.')).toBe(true)
    expect(text.match(/-->/g)).toHaveLength(3)
    expect(subRip(long)).toMatch(/^1\n00:00:00,000 --> 00:00:08,\d{3}\nAnn: word word/)
    expect(subRip([{ ...long[0]!, start: 3661.5, end: 3662, text: 'x' }])).toContain('01:01:01,500 --> 01:01:02,000')
  })

  test('a cue without a length stays until the next one, or as long as a glance', () => {
    const cue = (start: number) => ({ ...long[0]!, start, end: start, text: 'x' })
    expect(subRip([cue(1), cue(1.4), cue(9)]).match(/ --> .*/g)).toEqual([
      ...[' --> 00:00:01,400', ' --> 00:00:02,100', ' --> 00:00:09,700'],
    ])
  })

  test('no name and no word can end a cue or become markup', () => {
    const nasty = utterancesOf(
      [word('a --> b', 0), word('<i>\n\nx', 0.4)],
      [{ speaker: 'A>\n\n<v B', userId: 1, start: 0, end: 2 }],
      null,
    )
    expect(webVtt(nasty).split('\n')).toHaveLength(5)
    expect(webVtt(nasty)).toContain('<v A&gt; &lt;v B>a → b &lt;i&gt; x')
    expect(subRip(nasty).split('\n')).toHaveLength(4)
  })
})

describe('cuts of a long recording', () => {
  test('a short one is not cut', () => {
    expect(cutsOf(1200, 1200, [])).toEqual([])
  })

  test('are in the longest pause of the last quarter, or at the limit where there is none', () => {
    expect(cutsOf(250, 100, [ann(0, 80), ben(81, 90), ann(94, 300)])).toEqual([92, 192])
  })

  test('are in silence when no turn was detected', () => {
    expect(cutsOf(150, 100, [])).toEqual([87.5])
  })
})
