/**
 * The driver reads the screens of the mock in one page, without joining. The meaning of their words is proved in
 * page-state.test.ts, beside words that no screen of the mock has.
 */
import { describe, expect, test } from 'vitest'
import type { GoogleMeetMeeting } from '../../../packages/mock/google-meet/meeting.ts'
import type { PageSnapshot } from '../../../platforms/google-meet/page/types.ts'
import { meetHarness, meetReader } from './harness.ts'
import { CALL, TOOLBAR } from './snapshots.ts'

const meet = meetHarness()

describe('a screen', () => {
  const reader = meetReader(meet)
  const shown = async () => (await reader.page()).lastSnapshot

  /** The controls that the unit tests take for granted on such a page. */
  const controlsOf = (page: Partial<PageSnapshot>) =>
    Object.fromEntries(Object.entries(page).filter(([, value]) => typeof value === 'boolean'))

  test.each([
    ['access-blocked', 'BOT_NOT_ACCEPTED', true],
    ['invalid-name', 'INVALID_MEETING_URL', false],
    ['invalid-link', 'INVALID_MEETING_URL', false],
    ['code-does-not-work', 'INVALID_MEETING_URL', false],
    ['expired-code', 'CANNOT_JOIN_MEETING', false],
    ['redirect-to-landing', 'INVALID_MEETING_URL', false],
  ])('%s at once: %s (a fresh attempt may help: %s)', async (scenario, code, canRetry) => {
    await reader.open(scenario)
    const message = expect.stringMatching(/^[A-Z].*\.$/)
    expect(await reader.refusal('pre-join')).toMatchObject({ code, canRetry, message })
  })

  test.each([
    ['login-wall-after-click', 'LOGIN_REQUIRED', false],
    ['blocked-after-click', 'BOT_NOT_ACCEPTED', true],
    ['denied', 'BOT_NOT_ACCEPTED', false],
    ['denied-stale-lobby-text', 'BOT_NOT_ACCEPTED', false],
    ['denied-as-you-left', 'BOT_NOT_ACCEPTED', false],
    ['ended-in-lobby', 'EXITING_MEETING_BEFORE_RECORD', false],
  ])('%s, once it was asked: %s (a fresh attempt may help: %s)', async (scenario, code, canRetry) => {
    await reader.ask(scenario)
    expect(await reader.refusal('waiting')).toMatchObject({ code, canRetry })
  })

  test.each([
    ['mic-button-div', 'hu'],
    ['mic-button-button', 'ja'],
    ['join-anyway-new-jsname', 'en'],
  ])('%s, in the language %s: the name box, the button to join and the devices are found', async (scenario, lang) => {
    await reader.open(scenario, { lang })
    await reader.pollUntil('a form to fill in', ({ snapshot: { nameBox, join, microphone, camera } }) =>
      [nameBox !== null, join !== null, microphone === 'on', camera === 'on'].every(Boolean),
    )
    await reader.state('green_room')
  })

  test('a waiting room is left for a page that blocks', async () => {
    const meeting = await reader.ask('waiting-room')
    await reader.state('lobby')
    expect(await shown()).toMatchObject(controlsOf(TOOLBAR))
    meeting.show('blocked')
    expect(await reader.refusal('waiting')).toMatchObject({ code: 'BOT_NOT_ACCEPTED', canRetry: true })
  })

  test.each([
    // Its effects button has a participant id, which makes no tile.
    ['effects-phantom-tile', 'lobby'],
    ['access-host-not-there', 'waiting_for_host'],
    ['consent-dialog-after-admit', 'consent'],
    ['consent-gemini', 'consent'],
    ['consent-other-words', 'consent'],
  ] as const)('%s: %s', async (scenario, kind) => {
    await reader.ask(scenario)
    await reader.state(kind)
  })

  test('a waiting room in German', async () => {
    await reader.ask('waiting-room', { lang: 'de' })
    await reader.state('lobby')
  })

  test.each<[string, (meeting: GoogleMeetMeeting) => void, string]>([
    ['the host removes the bot', (meeting) => meeting.remove(), 'removed'],
    ['the host ends it', (meeting) => meeting.endForAll(), 'ended_for_all'],
    ['all others leave', (meeting) => meeting.show('everyone-left'), 'everyone_left'],
    // Off the site is out of the meeting.
    ['the tab goes elsewhere', (meeting) => meeting.show('off-site'), 'removed'],
    ['it ends in unknown words', (meeting) => meeting.show('other-words'), 'ended_for_all'],
    ['another device leaves', (meeting) => meeting.show('left-elsewhere'), 'ended_for_all'],
  ])('a meeting, and the page after %s', async (_, act, end) => {
    const meeting = await reader.ask('open')
    await reader.state('in_call')
    act(meeting)
    expect(await reader.end()).toBe(end)
  })

  test('a meeting that turns into the waiting room again', async () => {
    const meeting = await reader.ask('open')
    await reader.pollUntil('the call with its controls', ({ snapshot }) =>
      Object.keys(controlsOf(CALL)).every((name) => snapshot[name as keyof PageSnapshot] === true),
    )
    meeting.show('lobby')
    await reader.state('lobby')
  })
})
