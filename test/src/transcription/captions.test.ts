import { describe, expect, test } from 'vitest'
import { CaptionAssembler, type CaptionWords } from '../../../src/transcription/captions.ts'

/** Texts of one row, a second apart or at given times; what came out as final, joined. */
function dispatcher() {
  const reported: CaptionWords[] = []
  const it = new CaptionAssembler((words) => reported.push(words))
  return {
    reported,
    say: (text: string, at: number, { key = 'a', speaker = 'Ann', isFinal = false } = {}) => {
      it.onUpdate({ key, speaker, text, isFinal, at: at * 1000 })
      it.tick(at * 1000)
    },
    tick: (at: number) => it.tick(at * 1000),
    finish: () => it.finish(),
    finals: () =>
      reported
        .filter(({ isFinal }) => isFinal)
        .map(({ speaker, words }) => `${speaker}: ${words.map(({ word }) => word).join(' ')}`),
    lastPartial: () =>
      reported
        .findLast(({ isFinal }) => !isFinal)
        ?.words.map(({ word }) => word)
        .join(' '),
  }
}

describe('a row of captions', () => {
  test('is shown as it grows, and is final when it has been still', () => {
    const it = dispatcher()
    it.say('so', 1)
    it.say('so the', 1.4)
    it.say('So the next', 1.8)
    expect(it.lastPartial()).toBe('So the next')
    it.tick(3.7)
    expect(it.finals()).toEqual([])
    it.tick(3.9)
    expect(it.finals()).toEqual(['Ann: So the next'])
    it.tick(60)
    expect(it.finals()).toHaveLength(1)
  })

  test('that arrives late, as on a busy machine, is not final at once', () => {
    const reported: CaptionWords[] = []
    const it = new CaptionAssembler((words) => reported.push(words))
    it.onUpdate({ key: 'a', speaker: 'Ann', text: 'so the', isFinal: false, at: 1000 }, 4000)
    it.tick(4500)
    expect(reported.some(({ isFinal }) => isFinal)).toBe(false)
    it.tick(6000)
    expect(reported.at(-1)).toMatchObject({ isFinal: true, words: [{ start: 300 }, { end: 1000 }] })
  })

  test('continues after a pause without losing or doubling a word, also where earlier words are corrected', () => {
    const it = dispatcher()
    it.say('we saw the numbers', 1)
    it.tick(4)
    it.say('We saw the numbers. They', 6)
    it.say('We saw their numbers. They grew', 6.5)
    it.tick(9)
    it.say('We saw their numbers. They grew. Fine', 12, { isFinal: true })
    expect(it.finals()).toEqual(['Ann: we saw the numbers', 'Ann: They grew', 'Ann: Fine'])
  })

  test('is read on where the page cuts its beginning', () => {
    const it = dispatcher()
    it.say('one two three four five six seven eight nine ten', 1)
    it.tick(4)
    it.say('six seven eight nine ten eleven', 5)
    it.tick(8)
    expect(it.finals()).toEqual(['Ann: one two three four five six seven eight nine ten', 'Ann: eleven'])
  })

  test('in another spelling is not said twice', () => {
    const it = dispatcher()
    it.say('state of the art', 1)
    it.say('State-of-the-art design', 1.5)
    it.tick(4)
    it.say('State of the art design, in e mails', 5)
    it.tick(8)
    expect(it.finals()).toEqual(['Ann: State-of-the-art design', 'Ann: in e mails'])
  })

  test('of a participant who repeats a word continues at its end', () => {
    const it = dispatcher()
    it.say('yes yes', 1)
    it.tick(4)
    it.say('yes yes yes yes', 5)
    it.tick(8)
    expect(it.finals()).toEqual(['Ann: yes yes', 'Ann: yes yes'])
  })

  test('of a long speech becomes final sentence by sentence', () => {
    const it = dispatcher()
    const words = Array.from({ length: 120 }, (_, index) => (index % 10 === 9 ? `w${index}.` : `w${index}`))
    for (let count = 1; count <= words.length; count++) it.say(words.slice(0, count).join(' '), count * 0.4)
    expect(it.finals().length).toBeGreaterThan(1)
    expect(it.finals()[0]).toMatch(/\.$/)
    it.finish()
    expect(
      it
        .finals()
        .map((line) => line.slice(5))
        .join(' '),
    ).toBe(words.join(' '))
  })

  test('that the platform ends is final at once; an older text of it that comes late says nothing', () => {
    const it = dispatcher()
    it.say('hello there', 1)
    it.say('Hello there!', 1.2, { isFinal: true })
    it.say('hello there', 1.3)
    it.finish()
    expect(it.finals()).toEqual(['Ann: Hello there!'])
  })

  test('redrawn under another key is the same row; a row with another beginning is not', () => {
    const it = dispatcher()
    it.say('the plan for the next', 1)
    it.say('the plan for the next month', 2, { key: 'b' })
    it.tick(5)
    it.say('thank you all', 6, { key: 'c' })
    it.finish()
    expect(it.finals()).toEqual(['Ann: the plan for the next month', 'Ann: thank you all'])
  })

  test('that another source shows too is one row, and one of which it has less than most words is not', () => {
    const it = dispatcher()
    it.say('one two three four five six seven', 1, { key: 'page-1' })
    it.say('one two three for five six seven eight', 2, { key: 'channel/1' })
    it.finish()
    expect(it.finals()).toEqual(['Ann: one two three for five six seven eight'])
    const other = dispatcher()
    other.say('one two three four five six seven', 1, { key: 'page-1' })
    other.say('one two three red green blue white', 2, { key: 'channel/1' })
    other.finish()
    expect(other.finals()).toEqual([
      'Ann: one two three four five six seven',
      'Ann: one two three red green blue white',
    ])
  })

  test('of two people who speak at once stay two', () => {
    const it = dispatcher()
    it.say('I mean that', 1)
    it.say('right so do I', 1.5, { key: 'b', speaker: 'Ben' })
    it.say('I mean that we go', 2)
    it.finish()
    expect(it.finals()).toEqual(['Ann: I mean that we go', 'Ben: right so do I'])
  })

  test('gives words the time at which they came up', () => {
    const it = dispatcher()
    it.say('one', 10)
    it.say('one two', 11)
    it.say('one two three four', 12)
    it.finish()
    const times = it.reported.at(-1)!.words.map(({ start, end }) => [start / 1000, end / 1000])
    expect(times).toEqual([
      [9.65, 10],
      [10.65, 11],
      [11.3, 11.65],
      [11.65, 12],
    ])
  })

  test('in a script without blanks is read character by character', () => {
    const it = dispatcher()
    it.say('你好', 1)
    it.tick(4)
    it.say('你好世界 OK', 5)
    it.finish()
    expect(
      it.reported.filter(({ isFinal }) => isFinal).map(({ words }) => words.map(({ word }) => word).join('')),
    ).toEqual(['你好', '世界 OK'])
  })
})
