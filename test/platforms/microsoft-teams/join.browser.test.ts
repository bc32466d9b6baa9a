/** The way to the waiting room as the driver goes it; screens.browser.test.ts reads the pages that refuse a bot. */
import { expect, test } from 'vitest'
import { type AttemptOptions, teamsHarness } from './harness.ts'

const teams = teamsHarness()

async function joined(scenario: string, options: AttemptOptions = {}) {
  // Joining takes many steps, and all of their time is the mock's own waiting.
  const attempt = await teams.attempt(scenario, { speed: 12, ...options })
  const admission = await attempt.driver.join(attempt.signal)
  return { ...attempt, admission }
}

test('captcha-solved-by-human: the bot waits for a person, touches nothing, and joins', async () => {
  const { admission, meeting } = await joined('captcha-solved-by-human')
  expect(admission).toBe('waiting_room')
  expect(meeting.log.some(({ event, target }) => event === 'click' && /captcha/i.test(target))).toBe(false)
})

test.each([
  ['winding-road', {}],
  ['gates-and-dialogs', {}],
  ['personal-account-german', {}],
  ['reload-and-frame', {}],
  ['no-devices', {}],
  ['name-field-shroud', { speed: 4 }],
  ['name-field-late', { speed: 4 }],
] satisfies [string, AttemptOptions][])('%s: joins under its name', async (scenario, options) => {
  const { admission, meeting } = await joined(scenario, options)
  expect(admission).toBe('waiting_room')
  expect(meeting.botName).toBe('Notes for Ann')
  expect(meeting.bot.microphoneOn || meeting.bot.cameraOn).toBe(false)
  // The launcher offers both: the browser is chosen, never the app.
  const clicks = meeting.log.filter(({ event }) => event === 'click').map(({ target }) => target)
  // One that does not wait for the choice may be faster than the click.
  if (scenario === 'gates-and-dialogs') expect(clicks.some((target) => target.includes('joinOnWeb'))).toBe(true)
  expect(clicks.some((target) => target.includes('joinInApp'))).toBe(false)
})

test('signed-in-join: an account is asked for no name', async () => {
  const { admission } = await joined('signed-in-join', { driver: { expectsAccount: true } })
  expect(admission).toBe('in_meeting')
})
