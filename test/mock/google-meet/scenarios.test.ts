import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CODE, randomCode } from '../../../mock/google-meet/codes.ts'
import { SCENARIOS } from '../../../mock/google-meet/index.ts'
import { DEFAULTS, pageSettings } from '../../../mock/google-meet/settings.ts'

test('there are more than the forty required scenarios', () => {
  expect(Object.keys(SCENARIOS).length).toBeGreaterThan(40)
})

test('timelines name people of the scenario', () => {
  for (const [name, { timeline = [], people }] of Object.entries(SCENARIOS)) {
    const ids = people?.map(({ id }) => id) ?? ['ann', 'bob']
    for (const step of timeline) {
      if (/Speaking|Sharing|^say$/.test(step.do)) expect(ids, `${name}: ${step.do}`).toContain(step.with?.[0])
    }
  }
})

test('codes are well-formed and differ', () => {
  const codes = Array.from({ length: 50 }, randomCode)
  for (const code of codes) expect(code).toMatch(CODE)
  expect(new Set(codes).size).toBe(50)
})

test('a load looks the same for the same seed, and what the scenario fixes stays', () => {
  const load = { code: 'abc-defg-hij', seed: 4, speed: 2, lang: 'en' }
  expect(pageSettings(DEFAULTS, load)).toEqual(pageSettings(DEFAULTS, load))
  const looks = Array.from({ length: 20 }, (_, seed) => pageSettings(DEFAULTS, { ...load, seed }))
  for (const trait of ['typographic', 'toggleTag', 'peopleBadge', 'selfNameAttribute', 'layoutLabel'] as const) {
    expect(new Set(looks.map((look) => look[trait])).size, trait).toBe(2)
  }
  const fixed = { ...DEFAULTS, page: { peopleBadge: true, lang: 'de' } }
  expect(pageSettings(fixed, load)).toMatchObject({ peopleBadge: true, lang: 'de', toolbarHideMs: 3000, secondMs: 500 })
})

test('the page script names no scenario, so that no driver can detect it in the source', () => {
  const words = readFileSync(new URL('../../../mock/google-meet/page/meeting.entry.ts', import.meta.url), 'utf8')
  for (const name of Object.keys(SCENARIOS).filter((candidate) => candidate.includes('-'))) {
    expect(words).not.toContain(`'${name}'`)
  }
})
