import { describe, expect, test } from 'vitest'
import { type AttemptOptions, teamsHarness, teamsReader, until } from './harness.ts'

const teams = teamsHarness()
/** Joining takes many steps, and all of their time is the mock's own waiting. */
const SPEED = 12

async function joined(scenario: string, options: AttemptOptions = {}) {
  const attempt = await teams.attempt(scenario, { speed: SPEED, ...options })
  const admission = await attempt.driver.join(attempt.signal)
  return { ...attempt, admission }
}

test.each([
  ['unknown-meeting-id', 'INVALID_MEETING_URL', /couldn't find a meeting/],
  ['signin-host-redirect', 'LOGIN_REQUIRED', /sign in/],
] as const)('%s: %s, and no retry', async (scenario, code, message) => {
  const attempt = await teams.attempt(scenario, { speed: SPEED })
  const refusal = expect.objectContaining({ code, canRetry: false, message: expect.stringMatching(message) })
  await expect(attempt.driver.join(attempt.signal)).rejects.toEqual(refusal)
})

describe('a page that refuses the bot', () => {
  const reader = teamsReader(teams)

  test.each([
    ['http-404', 'INVALID_MEETING_URL', /404/],
    ['malformed-link-text', 'INVALID_MEETING_URL', /URL is incorrect/],
  ] as const)('%s at once: %s, and no retry', async (scenario, code, message) => {
    await reader.open(scenario)
    const refusal = { code, canRetry: false, message: expect.stringMatching(message) }
    expect(await reader.refusal('pre-join')).toMatchObject(refusal)
  })

  test.each([
    ['org-only-wall-after-join', 'LOGIN_REQUIRED', /verify your info/],
    ['webinar-not-started', 'TIMEOUT_WAITING_TO_START', /before the event begins/],
  ] as const)('%s, once it was asked: %s, and no retry', async (scenario, code, message) => {
    await reader.ask(scenario)
    const refusal = { code, canRetry: false, message: expect.stringMatching(message) }
    expect(await reader.refusal('waiting')).toMatchObject(refusal)
  })
})

test('splash-stuck: a page that keeps loading is given up, and a fresh browser may do better', async () => {
  const attempt = await teams.attempt('splash-stuck', { speed: SPEED, waits: { unknownPageMs: 2500 } })
  await expect(attempt.driver.join(attempt.signal)).rejects.toMatchObject({
    code: 'CANNOT_JOIN_MEETING',
    canRetry: true,
    message: expect.stringContaining('kept loading'),
  })
})

test('captcha-after-join: the captcha is not solved, and the evidence shows it', async () => {
  const attempt = await teams.attempt('captcha-after-join', { speed: SPEED, waits: { captchaMs: 1500 } })
  await expect(attempt.driver.join(attempt.signal)).rejects.toMatchObject({
    code: 'CANNOT_JOIN_MEETING',
    message: expect.stringContaining('captcha'),
  })
  const evidence = await attempt.driver.evidence()
  expect(evidence.signs.last).toMatchObject({ captcha: true })
  expect(evidence.html).toContain('HIP-Captcha')
  expect(evidence.screenshot?.length).toBeGreaterThan(1000)
})

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
  ['gov-host-join-on-web', {}],
  ['no-devices', {}],
  ['name-field-shroud', { speed: 4 }],
  ['name-field-late', { speed: 2 }],
] satisfies [string, AttemptOptions][])('%s: joins under its name', async (scenario, options) => {
  const { admission, meeting } = await joined(scenario, options)
  expect(admission).toBe('waiting_room')
  expect(meeting.botName).toBe('Notes for Ann')
  expect(meeting.bot.microphoneOn || meeting.bot.cameraOn).toBe(false)
  // The launcher offers both: the browser is chosen, never the app.
  const clicks = meeting.log.filter(({ event }) => event === 'click').map(({ target }) => target)
  // One that does not wait for the choice may be faster than the click.
  const waits = ['gates-and-dialogs', 'gov-host-join-on-web'].includes(scenario)
  if (waits) expect(clicks.some((target) => target.includes('joinOnWeb'))).toBe(true)
  expect(clicks.some((target) => target.includes('joinInApp'))).toBe(false)
})

test.each([
  ['http-503-then-ok', 1],
  ['could-not-connect-then-ok', 2],
])('%s: a fresh attempt in the same meeting gets in', async (scenario, failures) => {
  let { meeting, driver, signal } = await teams.attempt(scenario, { speed: SPEED })
  for (let failure = 0; failure < failures; failure++) {
    await expect(driver.join(signal)).rejects.toMatchObject({ code: 'CANNOT_JOIN_MEETING', canRetry: true })
    await driver.close()
    const next = await teams.attempt(scenario, { speed: SPEED, meeting })
    driver = next.driver
    signal = next.signal
  }
  expect(await driver.join(signal)).toBe('waiting_room')
})

describe('with an account', () => {
  test('name-input-missing-signed-in: no name is asked for', async () => {
    const { admission } = await joined('name-input-missing-signed-in', { driver: { expectsAccount: true } })
    expect(admission).toBe('in_meeting')
  })

  test('a name box says that the session was not used', async () => {
    const attempt = await teams.attempt('waiting-room', { speed: SPEED, driver: { expectsAccount: true } })
    await expect(attempt.driver.join(attempt.signal)).rejects.toMatchObject({ code: 'LOGIN_REQUIRED' })
  })
})

test('a stop before the join request: the wait ends with its reason, and the page is left', async () => {
  const attempt = await teams.attempt('slow-redirects-45s', { speed: 2 })
  const joining = attempt.driver.join(attempt.signal)
  await until(() => attempt.meeting.log.some(({ event }) => event === 'navigate'), 'the page is on its way')
  attempt.stop.abort(new Error('asked to stop'))
  await expect(joining).rejects.toThrow('asked to stop')
  await attempt.driver.leave()
})
