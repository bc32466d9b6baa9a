/** A check looks at the form of each platform's mock, and at its meeting; a changed page makes it say what is missing. */
import { systemClock } from '@standin/wire/time/deadline.ts'
import { SHIPPED_WORDS } from '@standin/wire/words.ts'
import { expect, test } from 'vitest'
import { checkPage } from '../../../src/run/check.ts'
import { meetHarness } from '../../platforms/google-meet/harness.ts'
import { jitsiHarness } from '../../platforms/jitsi/harness.ts'
import { teamsHarness } from '../../platforms/microsoft-teams/harness.ts'
import { zoomHarness } from '../../platforms/zoom/harness.ts'

const HARNESSES = { meet: meetHarness(), teams: teamsHarness(), zoom: zoomHarness(), jitsi: jitsiHarness() }
type Name = keyof typeof HARNESSES

async function checked(
  name: Name,
  options: { joins?: boolean; limitMs?: number; rewording?: Record<string, string>; scenario?: string },
) {
  const { joins = false, limitMs = 60_000, rewording, scenario = 'open' } = options
  const { driver, meeting } = await HARNESSES[name].attempt(scenario, rewording ? { rewording } : {})
  const { expected } = SHIPPED_WORDS.platforms[name]
  return { findings: await checkPage(driver, { ...expected, joins, limitMs, stayMs: 1_000 }, systemClock), meeting }
}

test.each(Object.keys(HARNESSES) as Name[])(
  '%s is good before the join, where the bot does not ask to join',
  async (name) => {
    const { findings, meeting } = await checked(name, {})
    expect(findings).toMatchObject({ state: 'good', reached: 'entrance', missing: [], error: null })
    expect(meeting.truth.admittedAt).toBeNull()
    expect(meeting.botName).toBeNull()
  },
)

test.each<[Name, string]>([
  // Their toolbars hide when no pointer moves.
  ['meet', 'toolbar-hidden'],
  ['teams', 'toolbar-autohide-leave'],
  ['zoom', 'open'],
  ['jitsi', 'open'],
])('%s is good in the meeting (%s)', async (name, scenario) => {
  const { findings, meeting } = await checked(name, { joins: true, scenario })
  expect(findings).toMatchObject({ state: 'good', reached: 'meeting', missing: [], error: null })
  expect(meeting.truth.admittedAt).not.toBeNull()
  expect(JSON.stringify(findings)).not.toMatch(/Ann|Notes for/)
})

test('a page without a mark is changed, and the mark is named', async () => {
  const changes: [Name, Record<string, string>, string][] = [
    ['meet', { Qx7uuf: 'Zz9zzz' }, 'selectors.joinByName'],
    ['teams', { 'toggle-video': 'switch-video' }, 'selectors.cameraSwitch'],
    ['zoom', { 'preview-audio-control-button': 'preview-sound' }, 'selectors.previewMicrophone'],
    ['jitsi', { 'prejoin.joinMeeting': 'prejoin.go' }, 'selectors.join'],
  ]
  // At once: each waits for its whole limit.
  const all = await Promise.all(changes.map(([name, rewording]) => checked(name, { rewording, limitMs: 20_000 })))
  expect(all.map(({ findings: { state, missing } }) => ({ state, missing }))).toEqual(
    changes.map(([, , missing]) => ({ state: 'changed', missing: [missing] })),
  )
})

test('a meeting that does not exist is no changed page', async () => {
  const { findings } = await checked('meet', { scenario: 'invalid-link', limitMs: 15_000 })
  expect(findings).toMatchObject({ state: 'failed', reached: 'nothing', error: { code: 'INVALID_MEETING_URL' } })
})
