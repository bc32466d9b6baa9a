import { describe, expect, test } from 'vitest'
import { MAX_COMPARED_LENGTH, stepsOf } from '../../wire/pattern-steps.ts'
import { compareVersions, SHIPPED_WORDS, wordsSchema } from '../../wire/words.ts'

/** A pack as a person may write it. */
type Pack = ReturnType<typeof JSON.parse>

const changed = (change: (pack: Pack) => void) => {
  const pack = structuredClone(SHIPPED_WORDS) as Pack
  change(pack)
  return wordsSchema.safeParse(pack)
}
const problemOf = (change: Parameters<typeof changed>[0]) => changed(change).error?.issues.map(({ message }) => message)

describe('an expression', () => {
  test.each([
    ['(a+)+$', 'repeats a group without a limit'],
    ['(?:a|a)*b', 'repeats a group without a limit'],
    ['(a)\\1', 'escape'],
    ['(?<=a)b', 'group of a kind'],
    ['(?<name>a)', 'group of a kind'],
    ['(', 'is no regular expression'],
    ['\\p{L}+', 'escape'],
  ])('%s is refused', (source, why) => {
    expect(stepsOf(source)).toContain(why)
  })

  test.each([
    'a*a*a*b',
    '.*.*x',
    '^a|.*.*b',
    '^(?:a{0,50}){0,50}$',
    `${'(?:a|a)'.repeat(20)}b`,
    `^${'a?'.repeat(40)}b`,
  ])('%s takes too many steps, and a pack with it is refused', (source) => {
    expect(stepsOf(source)).toBeGreaterThan(1e9)
    expect(problemOf((pack) => pack.platforms.zoom.words.en.labels.leave.push(source))).toEqual([
      expect.stringContaining('too many steps'),
    ])
  })

  test('that is accepted is quick on the text that is worst for it', () => {
    const sources = Object.values(SHIPPED_WORDS.platforms).flatMap(({ words }) =>
      Object.values(words as object).flatMap((tables) =>
        Object.values(tables).flatMap((names) => Object.values(names!).flat()),
      ),
    ) as string[]
    expect(sources.length).toBeGreaterThan(700)
    const letters = [' ', 'a', '3', 'bots block w ', 'removed ', 'breakout rooms are now been ', 'join ', '( ']
    const began = performance.now()
    for (const source of sources)
      for (const letter of letters) new RegExp(source, 'iu').test(letter.repeat(2000).slice(0, MAX_COMPARED_LENGTH))
    expect(performance.now() - began).toBeLessThan(20_000)
  })
})

describe('a pack', () => {
  test('that the program ships is valid', () => {
    expect(wordsSchema.parse(structuredClone(SHIPPED_WORDS))).toEqual(SHIPPED_WORDS)
  })

  test.each<[string, Parameters<typeof changed>[0], string]>([
    ['without a selector', (pack) => delete pack.platforms.meet.selectors.tile, 'meet has no selectors.tile'],
    ['without English words', (pack) => delete pack.platforms.teams.words.en.states.lobby, 'teams has no states.lobby'],
    ['without a platform', (pack) => delete pack.platforms.jitsi, 'expected object'],
    [
      'with German words that English does not have',
      (pack) => Object.assign(pack.platforms.zoom.words.de.labels, { leeve: ['^x$'] }),
      'zoom has no English words or selectors for labels.leeve',
    ],
    [
      'that expects what it does not name',
      (pack) => pack.platforms.jitsi.expected.entrance.push(['selectors.tooth']),
      'jitsi has no English words or selectors for selectors.tooth',
    ],
    ['with an open selector', (pack) => Object.assign(pack.platforms.meet.selectors, { tile: 'a[b="' }), 'closed'],
    ['with style in a selector', (pack) => Object.assign(pack.platforms.meet.selectors, { tile: 'a{} b' }), 'closed'],
    ['with a version of words', (pack) => Object.assign(pack, { version: 'newest' }), 'numbers with dots'],
    ['with a field more', (pack) => Object.assign(pack, { run: 'x' }), 'run'],
    [
      'with too many words together',
      (pack) => Object.assign(pack.platforms.meet.words.en.labels, { join: Array(40).fill('^.+a.+b$') }),
      'too many words',
    ],
  ])('%s is refused', (_, change, message) => {
    expect(problemOf(change)).toEqual(expect.arrayContaining([expect.stringContaining(message)]))
  })

  test('may name what this program does not know', () => {
    expect(changed((pack) => Object.assign(pack.platforms.meet.selectors, { later: '#later' })).success).toBe(true)
  })
})

test.each([
  ['2026.11.27', '2026.11.26', 1],
  ['2026.11.27', '2026.11.27', 0],
  ['2026.11.27.1', '2026.11.27', 1],
  ['2026.2', '2026.11', -1],
])('%s and %s', (one, other, sign) => {
  expect(Math.sign(compareVersions(one, other))).toBe(sign)
})
