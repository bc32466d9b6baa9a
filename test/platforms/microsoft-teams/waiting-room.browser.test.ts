/** The driver goes through the waiting room; screens.browser.test.ts reads the pages that may follow it. */
import { expect, test } from 'vitest'
import { MeetingMemory } from '../../../src/run/memory/meeting-memory.ts'
import { teamsHarness, until } from './harness.ts'

const teams = teamsHarness()

/** Every test here begins in the waiting room. */
async function waiting(scenario: string, options: Parameters<typeof teams.attempt>[1] = {}) {
  const attempt = await teams.attempt(scenario, options)
  expect(await attempt.driver.join(attempt.signal)).toBe('waiting_room')
  return attempt
}

test('lobby-timeout-not-started: when the patience is over the request is taken back, and the host sees it go', async () => {
  const attempt = await waiting('lobby-timeout-not-started')
  const wait = attempt.driver.waitForAdmission(attempt.signal)
  attempt.stop.abort(new Error('waited long enough'))
  await expect(wait).rejects.toThrow('waited long enough')
  expect(attempt.driver.waitingFor).toBe('host')
  await attempt.driver.leave()
  expect(attempt.meeting.log).toContainEqual(expect.objectContaining({ event: 'rpc', target: 'withdrawn' }))
})

test('lobby-drop-rejoin: a request that fell without a word is made again, and admitted', async () => {
  const attempt = await waiting('lobby-drop-rejoin')
  const wait = attempt.driver.waitForAdmission(attempt.signal)
  await until(() => attempt.meeting.state === 'lobbyDropped', 'the request falls')
  await until(() => attempt.meeting.state === 'lobby', 'the request is made again')
  attempt.meeting.admit()
  await wait
  expect(attempt.meeting.state).toBe('call')
})

test('admitted-hop-to-full-client: the new document is the same meeting, and every participant is reported once', async () => {
  const attempt = await waiting('admitted-hop-to-full-client')
  await attempt.driver.waitForAdmission(attempt.signal)
  attempt.driver.watch((event) => attempt.events.push(event))
  await attempt.driver.prepareRecording(attempt.signal)
  await attempt.event('heartbeat', ({ others }) => others === 2)
  attempt.meeting.show('reload')
  const beats = attempt.events.filter(({ type }) => type === 'heartbeat').length
  await until(
    () => attempt.events.slice(beats).filter((event) => event.type === 'heartbeat' && event.others === 2).length > 8,
    'the meeting goes on in the new document',
  )
  attempt.meeting.say('ann', 'Still here?')
  await attempt.event('chat_message', ({ message }) => message.text === 'Still here?')
  const events = new MeetingMemory().remember(attempt.events)
  expect(events.filter(({ type }) => type === 'participant_joined').length).toBe(2)
  expect(events.some(({ type }) => ['ended', 'failed', 'participant_left'].includes(type))).toBe(false)
})
