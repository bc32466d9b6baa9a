import { describe, expect, test } from 'vitest'
import { BotError } from '../../../core/errors.ts'
import { type Attempt, meetHarness, meetReader, until } from './harness.ts'

const meet = meetHarness()

async function refusalOf(attempt: Attempt): Promise<BotError> {
  const error = await attempt.enter().then(
    (admission) => new Error(`The bot came in: ${admission}`),
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(BotError)
  return error as BotError
}

function clicksOn(attempt: Attempt, target: string): number {
  return attempt.meeting.log.filter((entry) => entry.event === 'click' && entry.target.includes(target)).length
}

test.each([
  ['open-meeting-join-now', 'in_meeting', {}],
  ['signed-in-join', 'in_meeting', {}],
  ['slow-name-box', 'waiting_room', {}],
  ['stubborn-form', 'waiting_room', {}],
  ['dialogs-before-the-name', 'waiting_room', {}],
  ['join-anyway-new-jsname', 'waiting_room', {}],
  ['no-devices', 'waiting_room', {}],
  ['non-english-lobby', 'waiting_room', {}],
  // Joined by the structure of the page.
  ['mic-button-div', 'waiting_room', { lang: 'hu' }],
  ['mic-button-button', 'waiting_room', { lang: 'ja' }],
] as const)('%s: the bot comes in by way of %s (%j)', async (scenario, way, options) => {
  const attempt = await meet.attempt(scenario, options)
  expect(await attempt.enter()).toBe(way)
  expect(attempt.meeting.state).toBe('call')
  await until(() => !attempt.meeting.bot.microphoneOn && !attempt.meeting.bot.cameraOn, 'microphone and camera are off')
  if (scenario !== 'signed-in-join') expect(attempt.meeting.botName).toBe('Notes for Ann')
  // A control that a tip covers is clicked by a script in the page.
  if (scenario === 'stubborn-form') return
  const clicks = attempt.meeting.log.filter(({ event }) => event === 'click')
  expect(clicks.length).toBeGreaterThan(0)
  expect(clicks.every(({ trusted }) => trusted)).toBe(true)
})

test('the two buttons of a call that runs elsewhere: the one that does not end the other is pressed', async () => {
  const attempt = await meet.attempt('switch-here')
  expect(await attempt.enter()).toBe('in_meeting')
  expect(attempt.meeting.state).toBe('call')
  expect(clicksOn(attempt, 'Switch here')).toBe(0)
  expect(clicksOn(attempt, 'Join here too')).toBeGreaterThan(0)
})

test.each([
  ['login-wall', 'LOGIN_REQUIRED', false],
  ['blocked-after-click', 'BOT_NOT_ACCEPTED', true],
  ['invalid-code', 'INVALID_MEETING_URL', false],
  ['http-503-forever', 'CANNOT_JOIN_MEETING', true],
  ['captcha-live', 'CANNOT_JOIN_MEETING', false],
])('%s ends with %s (a fresh attempt may help: %s)', async (scenario, code, canRetry) => {
  const attempt = await meet.attempt(scenario, { speed: scenario === 'captcha-live' ? 20 : undefined })
  const error = await refusalOf(attempt)
  expect({ code: error.code, canRetry: error.canRetry }).toEqual({ code, canRetry })
  expect(error.message).toMatch(/^[A-Z].*\.$/)
  const evidence = await attempt.driver.evidence()
  expect(evidence.html).toContain('<')
  expect(evidence.screenshot?.subarray(1, 4)).toEqual(Buffer.from('PNG'))
  expect(evidence.url).toMatch(/google\.com|chrome-error/)
})

describe('a page that refuses the bot', () => {
  const reader = meetReader(meet)

  test.each([
    ['blocked-at-load', 'BOT_NOT_ACCEPTED', true],
    ['invalid-name', 'INVALID_MEETING_URL', false],
    ['code-does-not-work', 'INVALID_MEETING_URL', false],
    ['expired-code', 'CANNOT_JOIN_MEETING', false],
    ['redirect-to-landing', 'INVALID_MEETING_URL', false],
  ])('%s at once: %s (a fresh attempt may help: %s)', async (scenario, code, canRetry) => {
    await reader.open(scenario)
    expect(await reader.refusal('pre-join')).toMatchObject({
      code,
      canRetry,
      message: expect.stringMatching(/^[A-Z].*\.$/),
    })
  })

  test('a sign-in page once it was asked', async () => {
    await reader.ask('login-wall-after-click')
    expect(await reader.refusal('waiting')).toMatchObject({ code: 'LOGIN_REQUIRED', canRetry: false })
  })
})

test('an account whose session has expired is distinguished from a guest', async () => {
  const attempt = await meet.attempt('signed-in-session-lost', { driver: { expectsAccount: true } })
  expect((await refusalOf(attempt)).code).toBe('LOGIN_REQUIRED')
})

test.each(['blocked-then-ok', 'http-503'])('%s: the third fresh attempt comes in', async (scenario) => {
  const first = await meet.attempt(scenario)
  expect((await refusalOf(first)).canRetry).toBe(true)
  await first.driver.close()
  const second = await meet.attempt(scenario, { meeting: first.meeting })
  expect((await refusalOf(second)).canRetry).toBe(true)
  await second.driver.close()
  const third = await meet.attempt(scenario, { meeting: first.meeting })
  await third.enter()
  expect(first.meeting.state).toBe('call')
})

test('a host that cannot be reached is a failure that may pass', async () => {
  const attempt = await meet.attempt('waiting-room', {
    driver: { hostMap: [], extraArguments: ['--host-resolver-rules=MAP * ~NOTFOUND'] },
  })
  const error = await refusalOf(attempt)
  expect(error.code).toBe('CANNOT_JOIN_MEETING')
  expect(error.canRetry).toBe(true)
  expect(error.message).toContain('ERR_NAME_NOT_RESOLVED')
  expect(error.endCause).toBe('DNS_FAILED')
})

test('a join button that does not react is given up after the clicks it was allowed', async () => {
  const attempt = await meet.attempt('click-swallowed', { waits: { joinClickMs: 300, joinClicks: 2 } })
  const error = await refusalOf(attempt)
  expect(error.code).toBe('CANNOT_JOIN_MEETING')
  expect(error.message).toContain('pressed 2 times without effect')
})

test('a stop during the pre-join page ends the attempt with the reason of the signal', async () => {
  const attempt = await meet.attempt('name-input-appears-late', { speed: 1 })
  const joining = attempt.driver.join(attempt.signal)
  joining.catch(() => {})
  await until(() => attempt.meeting.state === 'loading', 'the page loads')
  attempt.stop.abort(new Error('asked to stop'))
  await expect(joining).rejects.toThrow('asked to stop')
  await attempt.driver.leave()
})
