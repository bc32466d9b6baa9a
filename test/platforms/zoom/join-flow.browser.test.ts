import { describe, expect, test } from 'vitest'
import { BotError } from '../../../packages/core/errors.ts'
import { type Attempt, clicksOn, expectJoinedWithoutDevices, until, zoomHarness, zoomReader } from './harness.ts'

const zoom = zoomHarness()
const FAST = 12

async function refusalOf(attempt: Attempt): Promise<BotError> {
  const error = await attempt.enter().then(
    (admission) => new Error(`The bot came in: ${admission}`),
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(BotError)
  return error as BotError
}

test.each([
  ['wc-obstacle-course', { asGiven: true }],
  ['wc-slow-and-lenient', { asGiven: true }],
  ['wc-vanity-blank', {}],
  ['wc-external-german', {}],
])('%s: the bot comes in under its name', async (scenario, options) => {
  const attempt = await zoom.attempt(scenario, { speed: FAST, ...options })
  await attempt.enter()
  expectJoinedWithoutDevices(attempt)
})

test('devices that are withdrawn from a form without switches are there again in the meeting', async () => {
  const attempt = await zoom.attempt('wc-classic', { speed: FAST })
  await attempt.enter()
  expectJoinedWithoutDevices(attempt)
  await attempt.event('heartbeat', ({ others }) => others === 2)
  await attempt.driver.playSound(new Int16Array(4800), 48_000)
  await until(() => attempt.meeting.bot.microphoneOn, 'the bot can speak')
  expect(attempt.meeting.bot.cameraOn).toBe(false)
})

test.each([
  ['wc-email-required', 'CANNOT_JOIN_MEETING', false],
  ['wc-passcode-missing', 'CANNOT_JOIN_MEETING', false],
  ['wc-spinner-stall', 'CANNOT_JOIN_MEETING', true],
] as const)('%s ends with %s (a fresh attempt may help: %s)', async (scenario, code, canRetry) => {
  const isStalled = scenario === 'wc-spinner-stall'
  const waits = isStalled ? { unknownPageMs: 4000 } : {}
  const paces = isStalled ? { stallMs: 1500 } : {}
  const attempt = await zoom.attempt(scenario, { speed: FAST, waits, paces })
  const error = await refusalOf(attempt)
  expect({ code: error.code, canRetry: error.canRetry }).toEqual({ code, canRetry })
  expect(error.message).toMatch(/^[A-Z].*\.$/)
  // A refusal is seen once, and the driver does not try again.
  expect(clicksOn(attempt, 'Join')).toBeLessThanOrEqual(1)
})

describe('a page that refuses the bot', () => {
  const reader = zoomReader(zoom)

  test.each([
    ['wc-login-required', 'LOGIN_REQUIRED', false],
    ['login-wall', 'LOGIN_REQUIRED', false],
    ['wc-captcha-frame', 'BOT_NOT_ACCEPTED', false],
    ['wc-bot-wall', 'BOT_NOT_ACCEPTED', false],
    ['wc-something-wrong', 'CANNOT_JOIN_MEETING', true],
  ] as const)('%s at once: %s (a fresh attempt may help: %s)', async (scenario, code, canRetry) => {
    await reader.open(scenario)
    const error = await reader.refusal('pre-join')
    expect({ code: error.code, canRetry: error.canRetry }).toEqual({ code, canRetry })
    expect(error.message).toMatch(/^[A-Z].*\.$/)
  })

  test.each([
    ['wc-signin-after-join', 'LOGIN_REQUIRED', false],
    ['wc-passcode-wrong', 'CANNOT_JOIN_MEETING', false],
    ['wc-captcha-failed', 'BOT_NOT_ACCEPTED', false],
    ['wc-bot-wall-late', 'BOT_NOT_ACCEPTED', false],
    ['wc-1132', 'CANNOT_JOIN_MEETING', false],
    ['wc-browser-join-off', 'CANNOT_JOIN_MEETING', false],
    ['wc-policy-blocked', 'CANNOT_JOIN_MEETING', false],
    ['wc-join-timeout', 'CANNOT_JOIN_MEETING', true],
    ['wc-ended-in-waiting-room', 'MEETING_ENDED_PREMATURELY', false],
  ] as const)('%s, once it was asked: %s (a fresh attempt may help: %s)', async (scenario, code, canRetry) => {
    await reader.ask(scenario)
    const error = await reader.refusal('waiting')
    expect({ code: error.code, canRetry: error.canRetry }).toEqual({ code, canRetry })
    expect(error.message).toMatch(/^[A-Z].*\.$/)
  })

  test.each([
    ['wc-waiting-room-old', 'waiting_room'],
    ['wc-not-started-sdk', 'waiting_for_host'],
  ] as const)('%s: %s', async (scenario, kind) => {
    await reader.ask(scenario)
    await reader.state(kind)
  })
})

test('a launch page without a way to the browser is said to be one', async () => {
  const attempt = await zoom.attempt('wc-launch-without-browser', {
    speed: FAST,
    asGiven: true,
    waits: { joinClickMs: 300 },
  })
  const error = await refusalOf(attempt)
  expect(error.code).toBe('CANNOT_JOIN_MEETING')
  expect(error.message).toContain('no way to join from a browser')
})

test('what a refused attempt leaves behind holds no passcode', async () => {
  const attempt = await zoom.attempt('wc-passcode-wrong', { speed: FAST })
  const { message } = await refusalOf(attempt)
  const passcode = new URL(attempt.meeting.url).searchParams.get('pwd') ?? 'none'
  const evidence = await attempt.driver.evidence()
  expect(evidence.screenshot?.subarray(1, 4)).toEqual(Buffer.from('PNG'))
  expect(evidence.html).toContain('<')
  expect(evidence.url).toContain('zoom.us/wc/')
  const texts = [message, evidence.html, evidence.url, ...evidence.console, JSON.stringify(evidence.signs)]
  expect(texts.filter((text) => text?.includes(passcode))).toEqual([])
})

test('without its host the bot waits for the host, then for admission; a stop withdraws the join request', async () => {
  const attempt = await zoom.attempt('access-not-started', { speed: FAST })
  expect(await attempt.driver.join(attempt.signal)).toBe('waiting_room')
  expect(attempt.driver.waitingFor).toBe('host')
  const admission = attempt.driver.waitForAdmission(attempt.signal)
  admission.catch(() => {})
  attempt.meeting.admit()
  await attempt.meeting.whenState('lobby', 60_000)
  await until(() => attempt.driver.waitingFor === 'admission', 'the bot waits for admission')
  attempt.stop.abort(new Error('asked to stop'))
  await expect(admission).rejects.toThrow('asked to stop')
  await attempt.driver.leave()
  expect(attempt.meeting.state).toBe('left')
})

test('a link that Zoom calls invalid until the host has started is tried again until it works', async () => {
  const attempt = await zoom.attempt('wc-host-3001-then-starts', { speed: 20 })
  expect(await attempt.enter()).toBe('waiting_room')
  expect(attempt.meeting.state).toBe('call')
  expect(attempt.driver.waitingFor).not.toBe('valid_link')
})

test('a link that stays invalid is given up in the end', async () => {
  const attempt = await zoom.attempt('invalid-link', { paces: { deadLinkRetryMs: 300, deadLinkMs: 1500 } })
  const error = await refusalOf(attempt)
  expect(attempt.driver.waitingFor).toBe('valid_link')
  expect(error.code).toBe('INVALID_MEETING_URL')
  expect(error.message).toContain('3,001')
  expect(error.message).toContain('the link is wrong, or the host has not started the meeting')
  expect(attempt.meeting.log.filter(({ event }) => event === 'navigate').length).toBeGreaterThan(2)
})
