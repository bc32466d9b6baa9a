import { describe, expect, test } from 'vitest'
import { asked, jitsiHarness, jitsiReader, pressed, until } from './harness.ts'

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
  ] as const)('%s', async (scenario, options) => {
    const attempt = await jitsi.inside(scenario, options)
    expect(attempt.meeting.state).toBe('call')
    expect(attempt.meeting.botName).toBe(scenario === 'name-from-token' ? 'Notes by token' : 'Notes for Ann')
    expect(attempt.meeting.bot).toMatchObject({ microphoneOn: false, cameraOn: false })
    await attempt.driver.leave()
    expect(attempt.meeting.state).toBe('left')
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

  test('without a lobby, the dialog can only be cancelled, which leaves the room: the driver lets it be', async () => {
    const attempt = await jitsi.attempt('access-not-started')
    expect(await attempt.driver.join(attempt.signal)).toBe('waiting_room')
    expect(attempt.driver.waitingFor).toBe('host')
    const waiting = attempt.driver.waitForAdmission(attempt.signal)
    attempt.meeting.admit()
    await waiting
    expect(asked(attempt.meeting)).toEqual([])
  })
})

describe('locked rooms', () => {
  test('the password of the link opens the room, and is not in what is kept; a bot with a picture shows it', async () => {
    const driver = { botImages: [PICTURE] }
    const attempt = await jitsi.inside('locked-room', { passcode: 'sesame', query: '?jwt=ey.J.z', driver })
    expect(attempt.meeting.state).toBe('call')
    await until(() => attempt.meeting.bot.cameraOn, 'the camera is on')
    await until(() => attempt.meeting.bot.sent().videoPackets > 0, 'a picture is sent')
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
  const reader = jitsiReader(jitsi)

  test.each([
    ['refused-page', 'BOT_NOT_ACCEPTED'],
    ['home-page', 'INVALID_MEETING_URL'],
  ] as const)('%s at once: %s', async (scenario, code) => {
    await reader.open(scenario)
    expect(await reader.refusal('pre-join')).toMatchObject({ code })
  })

  test.each([
    ['login-dialog', 'LOGIN_REQUIRED', ''],
    ['not-connected', 'CANNOT_JOIN_MEETING', ''],
    // The notification has the title of a wrong token. Its description says more.
    ['too-quick', 'CANNOT_JOIN_MEETING', 'come back in a bit'],
    // The sentence says where a password belongs.
    ['locked-room', 'CANNOT_JOIN_MEETING', '#pwd='],
    ['denied-unknown-version', 'BOT_NOT_ACCEPTED', 'rejected'],
    ['lobby-closed', 'EXITING_MEETING_BEFORE_RECORD', 'closed'],
  ] as const)('%s, once it was asked: %s %s', async (scenario, code, words) => {
    await reader.ask(scenario)
    expect(await reader.refusal('waiting')).toMatchObject({ code, message: expect.stringContaining(words) })
  })

  test('a server that is down', async () => {
    const attempt = await jitsi.attempt('server-down')
    await expect(attempt.enter()).rejects.toMatchObject({ code: 'CANNOT_JOIN_MEETING' })
  })
})

/** One red point. */
const PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
