/**
 * The driver reads the screens of the mock in one page, without joining. The meaning of their words is proved in
 * page-state.test.ts, beside words that no screen of the mock has.
 */
import { describe, expect, test } from 'vitest'
import type { TeamsMeeting } from '../../../packages/mock/microsoft-teams/meeting.ts'
import { teamsHarness, teamsReader } from './harness.ts'
import { CALL, LOBBY } from './snapshots.ts'

const teams = teamsHarness()

describe('a screen', () => {
  const reader = teamsReader(teams)
  const shown = async () => (await reader.page()).lastSnapshot

  test.each([
    ['http-404', 'INVALID_MEETING_URL', false, /404/],
    ['http-503-forever', 'CANNOT_JOIN_MEETING', true, /503/],
    ['malformed-link-text', 'INVALID_MEETING_URL', false, /URL is incorrect/],
    ['login-wall', 'LOGIN_REQUIRED', false, /sign in/],
  ] as const)('%s at once: %s (a fresh attempt may help: %s)', async (scenario, code, canRetry, message) => {
    await reader.open(scenario)
    const refusal = { code, canRetry, message: expect.stringMatching(message) }
    expect(await reader.refusal('pre-join')).toMatchObject(refusal)
  })

  test.each([
    ['invalid-link', 'INVALID_MEETING_URL', false, /couldn't find a meeting/],
    ['org-only-wall-after-join', 'LOGIN_REQUIRED', false, /verify your info/],
    ['access-not-started', 'TIMEOUT_WAITING_TO_START', false, /before the event begins/],
    ['could-not-connect-always', 'CANNOT_JOIN_MEETING', true, /couldn't connect you/],
    ['lobby-denied', 'BOT_NOT_ACCEPTED', false, /denied/],
    ['lobby-declined', 'BOT_NOT_ACCEPTED', false, /declined/],
    ['lobby-not-admitted', 'BOT_NOT_ACCEPTED', false, /weren't admitted/],
    ['lobby-no-response', 'TIMEOUT_WAITING_TO_START', false, /no one responded/i],
    ['e2ee-after-admit', 'CANNOT_JOIN_MEETING', false, /encrypt/],
    ['ended-in-lobby', 'EXITING_MEETING_BEFORE_RECORD', false, /ended/],
  ] as const)('%s, once it was asked: %s (a fresh attempt may help: %s)', async (scenario, code, canRetry, message) => {
    await reader.ask(scenario)
    const refusal = { code, canRetry, message: expect.stringMatching(message) }
    expect(await reader.refusal('waiting')).toMatchObject(refusal)
  })

  test('lobby-foreign-words: a waiting room in unknown words, whose button is not dead', async () => {
    await reader.ask('lobby-foreign-words')
    await reader.state('lobby_dropped')
  })

  test.each([
    ['splash-stuck', 'loading'],
    ['gov-host-join-on-web', 'launcher'],
  ] as const)('%s: %s', async (scenario, kind) => {
    await reader.open(scenario)
    await reader.state(kind)
  })

  test('the waiting room has controls of the page before it, the button to join dead', async () => {
    await reader.ask('waiting-room')
    await reader.state('lobby')
    const { preJoin, lobby } = LOBBY
    expect(await shown()).toMatchObject({ preJoin, lobby, join: { isEnabled: false } })
  })

  test('a tab that leaves the meeting for another site', async () => {
    const meeting = await reader.ask('open')
    await reader.pollUntil('the call with the controls of the unit tests', ({ snapshot }) => {
      const { leaveControl, chatControl, callMarks } = snapshot
      return leaveControl && chatControl && CALL.callMarks!.every((mark) => callMarks.includes(mark))
    })
    meeting.show('off-site')
    await reader.state('off_site')
  })

  test('chat-no-button: a meeting without a control for its chat', async () => {
    await reader.ask('chat-no-button')
    await reader.state('in_call')
    expect(await shown()).toMatchObject({ leaveControl: true, chatControl: false })
  })

  test.each<[string, (meeting: TeamsMeeting) => void, string]>([
    ['removed-typographic', (meeting) => meeting.remove(), 'removed'],
    ['removed-other-words', (meeting) => meeting.remove(), 'removed'],
    ['open', (meeting) => meeting.endForAll(), 'ended_for_all'],
    ['open', (meeting) => meeting.show('left-elsewhere'), 'ended_for_all'],
    // Without a word: its button to leave is gone for long.
    ['open', (meeting) => meeting.show('vanish'), 'ended_for_all'],
  ])('%s: the page after the meeting', async (scenario, act, end) => {
    const meeting = await reader.ask(scenario)
    await reader.state('in_call')
    act(meeting)
    expect(await reader.end()).toBe(end)
  })
})
