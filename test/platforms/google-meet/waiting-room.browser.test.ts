/** The driver goes through the waiting room; screens.browser.test.ts reads the pages that may follow it. */
import { expect, test } from 'vitest'
import { meetHarness, until } from './harness.ts'

const meet = meetHarness()

test('late-lobby-text: the bot is not admitted before the host admits it, although the toolbar of a call is there', async () => {
  const attempt = await meet.attempt('late-lobby-text', { speed: 3 })
  expect(await attempt.enter()).toBe('waiting_room')
  expect(Date.now()).toBeGreaterThanOrEqual(attempt.meeting.truth.admittedAt ?? Number.POSITIVE_INFINITY)
})

test('the worker stops waiting, and its join request is withdrawn once', async () => {
  const attempt = await meet.attempt('waiting-room')
  expect(await attempt.driver.join(attempt.signal)).toBe('waiting_room')
  const waiting = attempt.driver.waitForAdmission(attempt.signal)
  attempt.stop.abort(new Error('waited long enough'))
  await expect(waiting).rejects.toThrow('waited long enough')
  await Promise.all([attempt.driver.leave(), attempt.driver.leave()])
  await until(() => ['left', 'closed'].includes(attempt.meeting.state), 'the join request is withdrawn')
})

test.each([true, false])(
  'an admission that was none (the waiting room is seen again: %s): the denial is the answer to the request',
  async (isSeen) => {
    const attempt = await meet.inside('open')
    if (isSeen) {
      attempt.meeting.show('lobby')
      await attempt.event('heartbeat', ({ others }) => others === null)
      attempt.meeting.deny()
    } else attempt.meeting.show('denied-after-all')
    expect((await attempt.event('failed')).error).toMatchObject({ code: 'BOT_NOT_ACCEPTED' })
  },
)

test('consent refused: the bot does not come in, and says why', async () => {
  const attempt = await meet.attempt('consent-dialog-after-admit', { driver: { recordingConsent: 'refuse' } })
  await expect(attempt.enter()).rejects.toMatchObject({
    code: 'BOT_NOT_ACCEPTED',
    message: expect.stringContaining('recording_consent'),
  })
  await attempt.driver.leave()
  expect(['left', 'closed']).toContain(attempt.meeting.state)
})

test('denied: a refusal leaves what was seen', async () => {
  const attempt = await meet.attempt('denied')
  await expect(attempt.enter()).rejects.toMatchObject({ code: 'BOT_NOT_ACCEPTED' })
  const { signs, screenshot, html, url } = await attempt.driver.evidence()
  const kinds = (signs.seen as { kind: string }[]).map(({ kind }) => kind)
  expect(kinds).toEqual(expect.arrayContaining(['green_room', 'lobby', 'denied']))
  expect(screenshot?.subarray(1, 4)).toEqual(Buffer.from('PNG'))
  expect(html).toContain('denied your request')
  expect(url).toContain('meet.google.com')
})
