import { SHIPPED_WORDS, wordsFrom } from '@standin/wire/words.ts'
import { expect, test } from 'vitest'

/** Words as a person may write them. */
type Words = ReturnType<typeof JSON.parse>
type Change = (words: Words) => void

const changed = (change: Change) => {
  const words = structuredClone(SHIPPED_WORDS) as Words
  change(words)
  return wordsFrom(words)
}

test('the built-in words are valid', () => {
  expect(changed(() => {})).toEqual(SHIPPED_WORDS)
})

test.each<[string, Change, string]>([
  ['without a selector', (words) => delete words.platforms.meet.selectors.tile, 'meet has no selectors.tile'],
  ['without English words', (words) => delete words.platforms.teams.words.en.states.lobby, 'teams has no states.lobby'],
  ['without a platform', (words) => delete words.platforms.jitsi, 'platforms.jitsi: is missing'],
  [
    'with German words that English does not have',
    (words) => Object.assign(words.platforms.zoom.words.de.labels, { leeve: ['^x$'] }),
    'zoom has no English words or selectors for labels.leeve',
  ],
  [
    'that expects what it does not name',
    (words) => words.platforms.jitsi.expected.entrance.push(['selectors.tooth']),
    'jitsi has no English words or selectors for selectors.tooth',
  ],
  ['with an open selector', (words) => Object.assign(words.platforms.meet.selectors, { tile: 'a[b="' }), 'closed'],
  ['with style in a selector', (words) => Object.assign(words.platforms.meet.selectors, { tile: 'a{} b' }), 'closed'],
  ['with a version of words', (words) => Object.assign(words, { version: 'newest' }), 'numbers with dots'],
  ['with a field more', (words) => Object.assign(words, { run: 'x' }), 'run'],
  [
    'with a broken expression',
    (words) => words.platforms.zoom.words.en.labels.leave.push('('),
    'no regular expression',
  ],
])('words %s are refused', (_, change, message) => {
  expect(() => changed(change)).toThrow(message)
})

test('words may name what this program does not know', () => {
  const later = changed((words) => Object.assign(words.platforms.meet.selectors, { later: '#later' }))
  expect(later.platforms.meet.selectors).toHaveProperty('later', '#later')
})
