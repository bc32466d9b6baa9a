/** From the bot's own page with the SDK to the meeting, or to the code of what happened instead. */
import { describe, expect, test } from 'vitest'
import type { SdkFacts } from '../../../../platforms/zoom/meeting-sdk/page/types.ts'
import type { SdkAttemptOptions } from './sdk-harness.ts'
import { failureOf, joinsOf, sdkHarness, TOKEN_URL } from './sdk-harness.ts'

const harness = sdkHarness()

describe('waiting', () => {
  test('being sent out of the waiting room is a denial', async () => {
    const { meeting, driver, signal } = await harness.attempt('sdk-waiting-room-kick')
    await driver.join(signal)
    meeting.deny()
    expect(await failureOf(driver.waitForAdmission(signal))).toMatchObject({ code: 'BOT_NOT_ACCEPTED' })
  })

  test("a host who has not begun, on the SDK's own page, then the waiting room, out of which a stop takes the bot", async () => {
    const { meeting, driver, signal, stop } = await harness.attempt('sdk-host-not-started-then-starts')
    expect(await driver.join(signal)).toBe('waiting_room')
    expect(driver.waitingFor).toBe('host')
    const waiting = failureOf(driver.waitForAdmission(signal))
    meeting.admit()
    await meeting.whenState('lobby')
    await expect.poll(() => driver.waitingFor).toBe('admission')
    // The SDK reports its success with this status, although the waiting room is no admission.
    const status = async () => ((await driver.evidence()).signs.last as { sdk: SdkFacts }).sdk.meetingStatus
    await expect.poll(status).toBe(2)
    stop.abort(new Error('asked to leave'))
    expect((await waiting).message).toBe('asked to leave')
    await driver.leave()
    await expect.poll(() => meeting.state).toBe('left')
  })

  test('a host who has not begun, in a number: the bot joins again until the host has', async () => {
    const attempt = await harness.attempt('sdk-host-3008-then-starts')
    expect(await attempt.driver.join(attempt.signal)).toBe('waiting_room')
    expect(attempt.driver.waitingFor).toBe('host')
    await attempt.driver.waitForAdmission(attempt.signal)
    expect(joinsOf(attempt).map(({ code }) => code)).toEqual([3008, 3008, 0])
  })
})

describe('tokens', () => {
  test('a bot comes on behalf of a user, and waits with a fresh token for each try until the user is there', async () => {
    const asked: string[] = []
    const attempt = await harness.attempt('open', {
      people: [{ id: 'bob', name: 'Bob Berg', isHost: true, camera: true }],
      conf: { onBehalfToken: { url: TOKEN_URL }, extra: { team: 7 } },
      driver: { fetchToken: harness.tokensOf('obf', asked) },
    })
    const { meeting, driver, signal } = attempt
    expect(await driver.join(signal)).toBe('waiting_room')
    expect(driver.waitingFor).toBe('authorized_user')
    const admitted = driver.waitForAdmission(signal)
    await expect.poll(() => joinsOf(attempt).length).toBeGreaterThanOrEqual(3)
    meeting.addPerson({ id: 'ann', name: 'Ann Host' })
    await admitted
    const joins = joinsOf(attempt)
    expect(joins.slice(0, -1).every(({ code }) => code === 4017)).toBe(true)
    expect(joins.at(-1)).toEqual({ code: 0, token: 'obf' })
    // Each try carried its own token: a used one would have been 4014.
    expect(asked).toHaveLength(joins.length)
    expect(asked[0]).toContain(encodeURIComponent('{"team":7}'))
  })

  test('an access key signs the bot in', async () => {
    const attempt = await harness.attempt('sdk-login-required-3100', {
      conf: { accessKey: { url: TOKEN_URL } },
      driver: { fetchToken: harness.tokensOf('zak') },
    })
    expect(await attempt.enter()).toBe('in_meeting')
    expect(joinsOf(attempt)).toEqual([{ code: 0, token: 'zak' }])
  })
})

describe('a join that Zoom refuses', () => {
  test.each<[scenario: string, code: string, canRetry: boolean, options?: SdkAttemptOptions]>([
    ['open', 'SDK_AUTH_FAILED', false, { conf: { sdkSecret: 'another secret' } }],
    ['sdk-full-4005', 'CANNOT_JOIN_MEETING', true],
    // From here on no callback comes: a line of the console, a dialog and the status say it.
    ['sdk-external-unpublished-4011', 'UNABLE_JOIN_EXTERNAL_MEETING', false],
    ['sdk-join-timeout-dialog', 'CANNOT_JOIN_MEETING', true],
  ])('%s ends with %s', async (scenario, code, canRetry, options) => {
    const { driver, signal } = await harness.attempt(scenario, options)
    expect(await failureOf(driver.join(signal))).toMatchObject({ code, canRetry })
  })
})

describe('on the way in', () => {
  test('the preview page is passed with a click of the pointer, which Zoom believes', async () => {
    const attempt = await harness.attempt('sdk-happy-preview')
    expect(await attempt.enter()).toBe('in_meeting')
    expect(attempt.meeting.log.find(({ target }) => /^join$/i.test(target))).toMatchObject({ trusted: true })
  })

  test("the organization's terms are agreed to", async () => {
    const attempt = await harness.attempt('sdk-disclaimer')
    expect(await attempt.enter()).toBe('in_meeting')
  })
})
