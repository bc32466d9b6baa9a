import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ROOM, randomRoom } from '../../../mock/jitsi/codes.ts'
import { SCENARIOS } from '../../../mock/jitsi/index.ts'
import { DEFAULTS, pageSettings } from '../../../mock/jitsi/settings.ts'

test('there are more than the twenty-five required scenarios, and those that all platforms share', () => {
  expect(Object.keys(SCENARIOS).length).toBeGreaterThan(25)
  for (const name of ['waiting-room', 'open', 'invalid-link', 'login-wall', 'chat-disabled'])
    expect(SCENARIOS).toHaveProperty(name)
})

test('timelines name people of the scenario', () => {
  for (const [name, { timeline = [], people }] of Object.entries(SCENARIOS)) {
    const ids = people?.map(({ id }) => id) ?? ['ann', 'bob']
    for (const step of timeline)
      if (/Speaking|Sharing|^say$/.test(step.do)) expect(ids, `${name}: ${step.do}`).toContain(step.with?.[0])
  }
})

test('rooms are well-formed and differ', () => {
  const rooms = Array.from({ length: 50 }, randomRoom)
  for (const room of rooms) expect(room).toMatch(ROOM)
  expect(new Set(rooms).size).toBe(50)
})

test('a load looks the same for the same seed, and what the scenario fixes stays', () => {
  const load = { room: 'CalmRivers', seed: 4, speed: 2, lang: 'en', self: '00000000' }
  expect(pageSettings(DEFAULTS, load)).toEqual(pageSettings(DEFAULTS, load))
  const looks = Array.from({ length: 20 }, (_, seed) => pageSettings(DEFAULTS, { ...load, seed }))
  expect(new Set(looks.map(({ tileView }) => tileView)).size).toBe(2)
  const fixed = { ...DEFAULTS, page: { tileView: true, lang: 'de' } }
  expect(pageSettings(fixed, load)).toMatchObject({ tileView: true, lang: 'de', toolboxHideMs: 4000, secondMs: 500 })
})

test('the page script names no scenario, so that no driver can detect it in the source', () => {
  const words = readFileSync(new URL('../../../mock/jitsi/page/meeting.entry.ts', import.meta.url), 'utf8')
  for (const name of Object.keys(SCENARIOS).filter((candidate) => candidate.includes('-')))
    expect(words).not.toContain(`'${name}'`)
})
