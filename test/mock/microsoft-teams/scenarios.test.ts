import { describe, expect, test } from 'vitest'
import { SCENARIOS } from '../../../mock/microsoft-teams/index.ts'
import { wordsOf } from '../../../mock/microsoft-teams/page/words.ts'
import { DEFAULTS, ownSuffix, pageSettings } from '../../../mock/microsoft-teams/settings.ts'
import { TWO } from '../../../mock/shared/scenario.ts'

const load = { seed: 4, speed: 2, lang: 'en', isFull: false }

describe('scenarios', () => {
  test('are more than the forty required ones, with the names that all platforms share', () => {
    expect(Object.keys(SCENARIOS).length).toBeGreaterThan(40)
    for (const name of ['waiting-room', 'open', 'invalid-link', 'login-wall', 'chat-disabled']) {
      expect(SCENARIOS).toHaveProperty(name)
    }
  })

  test('have a description in one sentence', () => {
    for (const [name, { about }] of Object.entries(SCENARIOS)) expect(about, name).toMatch(/[.?"]$/)
  })

  test('name only people of the scenario', () => {
    for (const [name, { timeline = [], people = TWO }] of Object.entries(SCENARIOS)) {
      const ids = people.map(({ id }) => id)
      for (const step of timeline) {
        if (step.do === 'addPerson') ids.push(step.with?.[0] ?? '')
        if (/Speaking|Sharing|^say$|^removePerson$/.test(step.do))
          expect(ids, `${name}: ${step.do}`).toContain(step.with?.[0])
      }
    }
  })
})

describe('a page', () => {
  test('is the same for the same seed, and what the scenario fixes stays', () => {
    expect(pageSettings(DEFAULTS, load)).toEqual(pageSettings(DEFAULTS, load))
    const fixed = { ...DEFAULTS, page: { marks: ['aria' as const], chatMountMs: 6000 } }
    expect(pageSettings(fixed, load)).toMatchObject({ marks: ['aria'], chatMountMs: 3000, toolbarHideMs: 5000 })
  })

  test('differs by seed wherever sources disagree', () => {
    const pages = Array.from({ length: 40 }, (_, seed) => pageSettings(DEFAULTS, { ...load, seed }))
    for (const trait of ['typographic', 'cidMeansOn', 'badge', 'redundantAudio'] as const) {
      expect(new Set(pages.map((page) => page[trait])).size, trait).toBe(2)
    }
    expect(pages.every(({ marks }) => new Set(marks).size === 2)).toBe(true)
    expect(new Set(pages.flatMap(({ marks }) => marks)).size).toBe(6)
    expect(new Set(Array.from({ length: 40 }, (_, seed) => ownSuffix(DEFAULTS, seed))).size).toBe(4)
  })
})

test('words keep names as they are, in any language and with any marks', () => {
  const words = wordsOf('fr-FR', true)
  expect(words('Hi, {0}. Someone will let you in shortly.', "D'Arc {0}")).toBe(
    "D'Arc {0}, quelqu’un vous laissera bientôt entrer",
  )
  expect(wordsOf('de', false)('Not in the table')).toBe('Not in the table')
})
