import { SHIPPED_WORDS } from '@standin/wire/words.ts'
import { describe, expect, test } from 'vitest'
import { WORDS } from '../../../platforms/microsoft-teams/words.ts'
import { labelSources, matches, type Words } from '../../../platforms/shared/words.ts'

test.each([
  ['de', 'onWeb', 'In diesem Browser fortfahren'],
  ['de', 'join', 'Jetzt teilnehmen'],
  ['de', 'withoutDevices', 'Ohne Audio oder Video fortfahren'],
  ['fr', 'onWeb', 'Continuer sur ce navigateur'],
  ['fr', 'join', 'Rejoindre maintenant'],
  ['fr', 'yourName', 'Entrez votre nom'],
  ['es', 'join', 'Unirse ahora'],
  ['pt', 'join', 'Ingressar agora'],
] as const)('%s: %s is "%s"', (_language, label, text) => {
  expect(matches(WORDS.labels[label], text)).toBe(true)
})

test.each([
  ['removed', 'Sie wurden entfernt.'],
  ['removed', 'Vous avez été supprimé de cette réunion'],
  ['denied', 'Désolé, mais vous avez été refusé à la réunion.'],
  ['lobby', 'Quelqu’un vous laissera bientôt entrer'],
  ['ended_for_all', 'Die Besprechung wurde beendet'],
  ['ended_for_all', 'Réunion terminée'],
  ['left', 'Você saiu da reunião'],
] as const)('%s: "%s"', (state, text) => {
  expect(matches(WORDS.states[state], text)).toBe(true)
})

describe('every expression', () => {
  test('of every language is in the table, case-insensitive', () => {
    for (const words of Object.values(SHIPPED_WORDS.platforms.teams.words)) {
      for (const [table, names] of Object.entries(words)) {
        for (const [name, expressions] of Object.entries(names as Record<string, readonly string[]>)) {
          const sources = ((WORDS as Words)[table]?.[name] ?? []).map(({ source }) => source)
          expect(sources).toEqual(expect.arrayContaining([...expressions]))
        }
      }
    }
    expect(WORDS.states.denied.every(({ flags }) => flags.includes('i'))).toBe(true)
  })

  test('of the labels compiles in the page', () => {
    for (const source of Object.values(labelSources(WORDS.labels))) expect(() => new RegExp(source, 'iu')).not.toThrow()
  })

  test('ends its words where a word can end: letters with accents are none to an expression', () => {
    const all = Object.values(WORDS).flatMap((table) => Object.values(table).flat())
    expect(all.filter(({ source }) => /[^\x20-\x7e]\\b|\\b[^\x20-\x7e]/.test(source))).toEqual([])
  })

  test('is met by no empty text', () => {
    const all = Object.values(WORDS).flatMap((table) => Object.values(table).flat())
    expect(all.filter((expression) => expression.test(''))).toEqual([])
  })
})
