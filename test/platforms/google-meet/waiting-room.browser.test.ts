import { expect, test } from 'vitest'
import { BotError } from '../../../core/errors.ts'
import { type Attempt, meetHarness, until } from './harness.ts'

const meet = meetHarness()

async function outcomeOf(attempt: Attempt): Promise<unknown> {
  return attempt.enter().then(
    () => 'in',
    (error: unknown) => (error instanceof BotError ? error.code : error),
  )
}

test('at the natural pace: the bot is not admitted before the host admits it', async () => {
  const attempt = await meet.attempt('waiting-room-then-admit', { speed: 1 })
  expect(await attempt.enter()).toBe('waiting_room')
  expect(attempt.meeting.truth.admittedAt).not.toBeNull()
})

test('late-lobby-text: the toolbar alone does not count as admission', async () => {
  const attempt = await meet.attempt('late-lobby-text', { speed: 1 })
  await attempt.enter()
  expect(Date.now()).toBeGreaterThanOrEqual(attempt.meeting.truth.admittedAt ?? Number.POSITIVE_INFINITY)
})

test('effects-phantom-tile: a participant id on a button is no tile', async () => {
  const attempt = await meet.attempt('effects-phantom-tile', { speed: 10 })
  expect(await attempt.driver.join(attempt.signal)).toBe('waiting_room')
  const waiting = attempt.driver.waitForAdmission(attempt.signal)
  let isIn = false
  waiting.then(
    () => {
      isIn = true
    },
    () => {},
  )
  // Longer than every hold of the judge at this speed.
  await new Promise((resolve) => setTimeout(resolve, 4000))
  expect(isIn).toBe(false)
  expect(attempt.meeting.state).toBe('lobby')
  attempt.meeting.admit()
  await waiting
  expect(attempt.meeting.state).toBe('call')
})

test.each([
  ['denied', 'BOT_NOT_ACCEPTED'],
  ['denied-stale-lobby-text', 'BOT_NOT_ACCEPTED'],
  ['denied-as-you-left', 'BOT_NOT_ACCEPTED'],
  ['request-timeout', 'TIMEOUT_WAITING_TO_START'],
  ['ended-in-lobby', 'EXITING_MEETING_BEFORE_RECORD'],
  ['waiting-for-host', 'in'],
  ['consent-dialog-after-admit', 'in'],
  ['consent-gemini', 'in'],
])('%s: %s', async (scenario, outcome) => {
  const attempt = await meet.attempt(scenario)
  expect(await outcomeOf(attempt)).toBe(outcome)
})

test('a join request that is blocked later is blocked, not denied', async () => {
  const attempt = await meet.attempt('waiting-room')
  expect(await attempt.driver.join(attempt.signal)).toBe('waiting_room')
  const waiting = attempt.driver.waitForAdmission(attempt.signal)
  waiting.catch(() => {})
  attempt.meeting.show('blocked')
  await expect(waiting).rejects.toMatchObject({ code: 'BOT_NOT_ACCEPTED', canRetry: true })
})

test('own-lobby-timeout: the worker stops waiting and withdraws its join request', async () => {
  const attempt = await meet.attempt('own-lobby-timeout')
  expect(await attempt.driver.join(attempt.signal)).toBe('waiting_room')
  const waiting = attempt.driver.waitForAdmission(attempt.signal)
  waiting.catch(() => {})
  attempt.stop.abort(new Error('waited long enough'))
  await expect(waiting).rejects.toThrow('waited long enough')
  await attempt.driver.leave()
  await until(() => ['left', 'closed'].includes(attempt.meeting.state), 'the join request is withdrawn')
})

test('cancelled-in-lobby: a join request is withdrawn once, also when leave is called twice', async () => {
  const attempt = await meet.attempt('cancelled-in-lobby')
  expect(await attempt.driver.join(attempt.signal)).toBe('waiting_room')
  await Promise.all([attempt.driver.leave(), attempt.driver.leave()])
  await until(() => ['left', 'closed'].includes(attempt.meeting.state), 'the join request is withdrawn')
})

test('host-never-comes: the bot waits for the host as in a waiting room, and leaves on command', async () => {
  const attempt = await meet.attempt('host-never-comes')
  expect(await attempt.driver.join(attempt.signal)).toBe('waiting_room')
  await attempt.driver.leave()
  await until(() => attempt.meeting.state !== 'waitingForHost', 'the page is left')
})

test('consent refused: the bot does not come in, and says why', async () => {
  const attempt = await meet.attempt('consent-dialog-after-admit', { driver: { recordingConsent: 'refuse' } })
  await expect(attempt.enter()).rejects.toMatchObject({
    code: 'BOT_NOT_ACCEPTED',
    message: expect.stringContaining('recording_consent'),
  })
  await attempt.driver.leave()
  expect(['left', 'closed']).toContain(attempt.meeting.state)
})

test('a failure in the waiting room leaves what was seen', async () => {
  const attempt = await meet.attempt('denied')
  expect(await outcomeOf(attempt)).toBe('BOT_NOT_ACCEPTED')
  const { signs, screenshot, html, url } = await attempt.driver.evidence()
  const kinds = (signs.seen as { kind: string }[]).map(({ kind }) => kind)
  expect(kinds).toEqual(expect.arrayContaining(['green_room', 'lobby', 'denied']))
  expect(screenshot?.byteLength).toBeGreaterThan(1000)
  expect(html).toContain('denied your request')
  expect(url).toContain('meet.google.com')
})
