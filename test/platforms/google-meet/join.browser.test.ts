/** The way to the meeting as the driver goes it; screens.browser.test.ts reads the pages that refuse a bot. */
import { expect, test } from 'vitest'
import { BotError } from '../../../packages/core/errors.ts'
import { type Attempt, meetHarness, until } from './harness.ts'

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
  ['slow-name-box', {}],
  ['stubborn-form', {}],
  ['dialogs-before-the-name', {}],
  ['no-devices', {}],
  // Joined by the structure of the page.
  ['mic-button-div', { lang: 'hu' }],
] as const)('%s: the bot comes in by the waiting room (%j)', async (scenario, options) => {
  const attempt = await meet.attempt(scenario, options)
  expect(await attempt.enter()).toBe('waiting_room')
  expect(attempt.meeting.state).toBe('call')
  await until(() => !attempt.meeting.bot.microphoneOn && !attempt.meeting.bot.cameraOn, 'microphone and camera are off')
  expect(attempt.meeting.botName).toBe('Notes for Ann')
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

test('http-503-forever: a server that fails is a failure that may pass, and the evidence shows its page', async () => {
  const attempt = await meet.attempt('http-503-forever')
  expect(await refusalOf(attempt)).toMatchObject({ code: 'CANNOT_JOIN_MEETING', canRetry: true })
  const { html, screenshot } = await attempt.driver.evidence()
  expect(html).toContain('<')
  expect(screenshot?.subarray(1, 4)).toEqual(Buffer.from('PNG'))
})

test('a host that cannot be reached is a failure that may pass', async () => {
  const attempt = await meet.attempt('waiting-room', {
    driver: { hostMap: [], extraArguments: ['--host-resolver-rules=MAP * ~NOTFOUND'] },
  })
  const error = await refusalOf(attempt)
  expect(error).toMatchObject({ code: 'CANNOT_JOIN_MEETING', canRetry: true, endCause: 'DNS_FAILED' })
  expect(error.message).toContain('ERR_NAME_NOT_RESOLVED')
})
