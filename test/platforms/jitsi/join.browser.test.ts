import { describe, expect, test } from 'vitest'
import { asked, jitsiHarness, pressed, until } from './harness.ts'

const jitsi = jitsiHarness()

describe('getting in', () => {
  test('slow-join: one press is enough, however slow the server is', async () => {
    const attempt = await jitsi.inside('slow-join')
    expect(pressed(attempt.meeting).filter((target) => target === 'prejoin.joinMeeting')).toHaveLength(1)
  })

  test.each([
    ['deep-link', {}],
    ['unlistened-button', {}],
    ['no-devices', {}],
    ['name-from-token', { query: '?jwt=ey.J.z' }],
    // A page that does not follow the language that it is asked for.
    ['lobby-button', { lang: 'de' }],
    ['old-labels', {}],
  ] as const)('%s', async (scenario, options) => {
    const attempt = await jitsi.inside(scenario, options)
    expect(attempt.meeting.state).toBe('call')
    expect(attempt.meeting.botName).toBe(scenario === 'name-from-token' ? 'Notes by token' : 'Notes for Ann')
    expect(attempt.meeting.bot).toMatchObject({ microphoneOn: false, cameraOn: false })
    await attempt.driver.leave()
    expect(attempt.meeting.state).toBe('left')
  })

  test('a bot with a picture comes with its camera on', async () => {
    const attempt = await jitsi.inside('open', { driver: { botImages: [PICTURE] } })
    await until(() => attempt.meeting.bot.cameraOn, 'the camera is on')
    await until(() => attempt.meeting.bot.sent().videoPackets > 0, 'a picture is sent')
  })
})

describe('the lobby and other waiting', () => {
  test('the host is not there yet: the driver closes the dialog, the page waits, and a moderator comes', async () => {
    const attempt = await jitsi.attempt('moderator-in-lobby')
    expect(await attempt.driver.join(attempt.signal)).toBe('waiting_room')
    const waiting = attempt.driver.waitForAdmission(attempt.signal)
    await until(() => asked(attempt.meeting).includes('moderator-lobby-wait'), 'the dialog is answered')
    attempt.meeting.admit()
    await waiting
    expect(attempt.meeting.state).toBe('call')
  })

  test('a dialog that only leads away is left alone', async () => {
    const attempt = await jitsi.attempt('moderator-never-comes')
    expect(await attempt.driver.join(attempt.signal)).toBe('waiting_room')
    const waiting = attempt.driver.waitForAdmission(attempt.signal)
    attempt.meeting.admit()
    await waiting
    expect(asked(attempt.meeting).filter((target) => target.startsWith('moderator-'))).toEqual([])
  })

  test.each([
    ['denied-unknown-version', 'BOT_NOT_ACCEPTED', 'rejected'],
    ['lobby-closed', 'EXITING_MEETING_BEFORE_RECORD', 'closed'],
  ] as const)('%s', async (scenario, code, words) => {
    const attempt = await jitsi.attempt(scenario)
    await expect(attempt.enter()).rejects.toMatchObject({ code, message: expect.stringContaining(words) })
  })
})

describe('locked rooms', () => {
  test('without a password the sentence says where one belongs', async () => {
    const attempt = await jitsi.attempt('locked-room')
    await expect(attempt.enter()).rejects.toMatchObject({
      code: 'CANNOT_JOIN_MEETING',
      message: expect.stringContaining('#pwd='),
    })
  })

  test('the password of the link opens the room, and is not in what is kept', async () => {
    const attempt = await jitsi.inside('locked-room', { passcode: 'sesame', query: '?jwt=ey.J.z' })
    expect(attempt.meeting.state).toBe('call')
    const { html, url, signs, console: lines } = await attempt.driver.evidence()
    expect(html).toContain('Ann Host')
    for (const secret of ['sesame', 'ey.J.z']) expect(JSON.stringify([html, url, signs, lines])).not.toContain(secret)
  })

  test('a wrong password is reported as wrong, and is not tried without end', async () => {
    const attempt = await jitsi.attempt('locked-room', { passcode: 'open up' })
    await expect(attempt.enter()).rejects.toMatchObject({
      code: 'CANNOT_JOIN_MEETING',
      message: expect.stringContaining('did not take the password'),
    })
    expect(asked(attempt.meeting).filter((target) => target === 'password-wrong').length).toBeLessThanOrEqual(2)
  })

  test('the lobby lets those pass who know it', async () => {
    const attempt = await jitsi.inside('locked-lobby', { passcode: 'sesame' })
    expect(asked(attempt.meeting)).toContain('password-right')
  })

  test('a wrong one in the lobby still leaves the moderator to decide', async () => {
    const attempt = await jitsi.attempt('locked-lobby', { passcode: 'open up' })
    expect(await attempt.driver.join(attempt.signal)).toBe('waiting_room')
    const waiting = attempt.driver.waitForAdmission(attempt.signal)
    await until(() => asked(attempt.meeting).includes('password-wrong'), 'the password is tried')
    attempt.meeting.admit()
    await waiting
  })
})

describe('what cannot be entered', () => {
  test.each([
    ['account-needed', 'LOGIN_REQUIRED'],
    ['login-dialog', 'LOGIN_REQUIRED'],
    ['refused-page', 'BOT_NOT_ACCEPTED'],
    ['not-connected', 'CANNOT_JOIN_MEETING'],
    ['home-page', 'INVALID_MEETING_URL'],
    ['server-down', 'CANNOT_JOIN_MEETING'],
  ] as const)('%s: %s', async (scenario, code) => {
    const attempt = await jitsi.attempt(scenario)
    await expect(attempt.enter()).rejects.toMatchObject({ code })
  })
})

/** One red point. */
const PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
