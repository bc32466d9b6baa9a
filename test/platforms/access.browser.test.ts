/** Access modes and platforms: the reason is that of the mock's access mode, or `unknown`; never another. */
import { readMeeting } from '@standin/wire/meeting-links/index.ts'
import type { PlatformName } from '@standin/wire/platforms.ts'
import { REASON_TABLE, type Reason, reasonOfFailure } from '@standin/wire/reasons.ts'
import { describe, expect, test } from 'vitest'
import type { MeetingTarget } from '../../packages/core/meeting/meeting.ts'
import { BOT_TOKEN_SECONDS, newBotToken } from '../../packages/mock/microsoft-teams/bot-token.ts'
import { invitationOf } from '../../packages/mock/microsoft-teams/links.ts'
import type { TeamsMeeting } from '../../packages/mock/microsoft-teams/meeting.ts'
import type { MockMeeting } from '../../packages/mock/types.ts'
import type { CommonSnapshot } from '../../platforms/shared/page/types.ts'
import { meetHarness, meetReader } from './google-meet/harness.ts'
import { jitsiHarness, jitsiReader } from './jitsi/harness.ts'
import { teamsHarness, teamsReader } from './microsoft-teams/harness.ts'
import type { PageReader } from './page-reader.ts'
import { zoomHarness, zoomReader } from './zoom/harness.ts'
import { failureOf } from './zoom/meeting-sdk/sdk-harness.ts'

interface Row {
  /** Of the mock. */
  scenario: string
  reason: Reason
  /** The page refuses before the bot can ask. */
  atOnce?: true
  /** The deed of the host once the bot waits. */
  act?(meeting: MockMeeting): void
}

const deny = (meeting: MockMeeting) => meeting.deny()
const end = (meeting: MockMeeting) => meeting.endForAll()

/** Only the time of an answer shows whether a person or the platform denied: test/platforms/shared/join/answer-time.test.ts. */
const BY_PERSON = { reason: 'denied_by_person', act: deny } as const

type Reader = Pick<PageReader<MockMeeting, CommonSnapshot, string>, 'open' | 'ask' | 'refusal'>

/** The reasons of the Meeting SDK are those of its numbers: zoom/meeting-sdk/outcomes.test.ts. */
const MATRIX: Record<string, { platform: PlatformName; reader: () => Reader; rows: readonly Row[] }> = {
  'Google Meet': {
    platform: 'meet',
    reader: () => meetReader(meetHarness()),
    rows: [
      { scenario: 'access-waiting-room', ...BY_PERSON },
      { scenario: 'access-waiting-room', reason: 'ended', act: end },
      { scenario: 'access-denied-at-once', reason: 'denied_by_person' },
      { scenario: 'access-blocked', reason: 'denied_by_platform', atOnce: true },
      { scenario: 'access-account', reason: 'account_required', atOnce: true },
      { scenario: 'access-full', reason: 'full' },
      { scenario: 'access-captcha', reason: 'captcha', atOnce: true },
      { scenario: 'request-timeout', reason: 'waiting_ended_by_platform' },
    ],
  },
  'Microsoft Teams': {
    platform: 'teams',
    reader: () => teamsReader(teamsHarness()),
    rows: [
      { scenario: 'access-waiting-room', ...BY_PERSON },
      { scenario: 'access-require-approval', ...BY_PERSON },
      { scenario: 'access-require-approval', reason: 'ended', act: end },
      { scenario: 'access-block-detected', reason: 'policy_blocks_bots' },
      { scenario: 'access-guests-off', reason: 'policy_blocks_guests' },
      { scenario: 'access-account', reason: 'account_required', atOnce: true },
      { scenario: 'access-not-started', reason: 'not_started' },
      { scenario: 'access-locked', reason: 'locked' },
      { scenario: 'access-full', reason: 'full' },
      { scenario: 'access-captcha', reason: 'captcha' },
    ],
  },
  Zoom: {
    platform: 'zoom',
    reader: () => zoomReader(zoomHarness()),
    rows: [
      { scenario: 'access-waiting-room', ...BY_PERSON },
      { scenario: 'access-rtms', reason: 'rtms_required' },
      { scenario: 'access-removed-before', reason: 'denied_by_person' },
      { scenario: 'access-account', reason: 'account_required', atOnce: true },
      { scenario: 'access-registration', reason: 'invitation_required', atOnce: true },
      { scenario: 'access-locked', reason: 'locked' },
      { scenario: 'access-full', reason: 'full' },
      { scenario: 'access-ended', reason: 'ended' },
      { scenario: 'access-captcha', reason: 'captcha', atOnce: true },
    ],
  },
  'Jitsi Meet': {
    platform: 'jitsi',
    reader: () => jitsiReader(jitsiHarness()),
    rows: [
      { scenario: 'access-waiting-room', ...BY_PERSON },
      { scenario: 'access-waiting-room', reason: 'ended', act: end },
      { scenario: 'access-account', reason: 'account_required' },
      { scenario: 'access-token', reason: 'invitation_required' },
      { scenario: 'access-locked', reason: 'locked' },
      { scenario: 'access-full', reason: 'full' },
    ],
  },
}

describe.each(Object.entries(MATRIX))('the pages of %s', (_name, { platform, reader: start, rows }) => {
  const reader = start()

  test.each(rows)('$scenario: $reason', async ({ scenario, reason, atOnce, act }) => {
    const meeting = await (atOnce ? reader.open(scenario) : reader.ask(scenario))
    if (act) {
      await meeting.whenState(scenario === 'access-require-approval' ? 'suspected' : 'lobby', 60_000)
      act(meeting)
    }
    const refusal = await reader.refusal(atOnce ? 'pre-join' : 'waiting')
    expect(refusal.reason).toBe(reason)
    const { codes, platforms } = REASON_TABLE[reason]
    expect([...codes, platform]).toEqual(expect.arrayContaining([refusal.code, platform]))
    expect(platforms).toContain(platform)
  })
})

describe('who refused, by the time of the answer', () => {
  const meet = meetHarness()
  const teams = teamsHarness()

  /** Longer than a machine needs for an answer, by a poll of a slow one. Milliseconds. */
  const PERSON_MS = 3500

  test('a person who denies after some seconds', async () => {
    const { driver, meeting, signal } = await meet.attempt('access-waiting-room')
    await driver.join(signal)
    setTimeout(() => meeting.deny(), PERSON_MS)
    expect(await failureOf(driver.waitForAdmission(signal))).toMatchObject({ reason: 'denied_by_person' })
    expect(driver.sightings.length).toBeGreaterThan(0)
  })

  test.each([
    // The page has the words of a denial by a person; only the time shows that the platform may have denied.
    ['Google Meet', () => meet.attempt('access-suspected', { speed: 30 }), 'unknown'],
    ['Microsoft Teams', () => teams.attempt('access-waiting-room', { speed: 300 }), 'waiting_ended_by_platform'],
  ] as const)('the limit of %s', async (_name, attempt, expected) => {
    const { code, reason } = await failureOf((await attempt()).enter())
    expect(reasonOfFailure(code, reason)).toBe(expected)
  })
})

const REGISTERED = { tenant: 'example.com', clientId: 'bot' }

describe('the token of a registered bot of Microsoft Teams', () => {
  const teams = teamsHarness()

  // The token goes behind the `#` that one form of the links has.
  test.each([
    ['short', 'valid', 'call', newBotToken(REGISTERED)],
    ['classic', 'valid', 'call', newBotToken(REGISTERED)],
    ['short', null, 'botsBlocked', null],
    ['classic', 'expired', 'botsBlocked', newBotToken(REGISTERED, Date.now() - (BOT_TOKEN_SECONDS + 1) * 1000)],
    ['short', 'foreign', 'botsBlocked', newBotToken(REGISTERED, Date.now(), 'another key')],
  ] as const)('behind the %s link (%s): %s', async (link, name, state, token) => {
    const retarget = (target: MeetingTarget, { ids }: TeamsMeeting) => ({
      ...target,
      ...readMeeting(invitationOf(ids, link)),
    })
    const options = { speed: 20, driver: { teamsToken: async () => token }, retarget }
    const { driver, meeting, signal } = await teams.attempt('access-block-detected', options)
    await driver.join(signal).catch(() => {})
    expect(meeting).toMatchObject({ state, botToken: name })
    // The evidence of this page holds the token nowhere.
    if (token !== null) expect(JSON.stringify(await driver.evidence())).not.toContain(token)
  })
})

describe('Google Meet', () => {
  const meet = meetHarness()

  test('a bot that was denied twice finds itself blocked, and one that comes in unverified is sent out with the reason', async () => {
    const first = await meet.attempt('access-denied-at-once')
    expect((await failureOf(first.enter())).reason).toBe('denied_by_platform')
    const { meeting } = first
    expect((await failureOf((await meet.attempt('', { meeting })).enter())).reason).toBe('denied_by_platform')
    meeting.setAccess('open')
    const third = await meet.attempt('', { meeting })
    expect(await failureOf(third.enter())).toMatchObject({ code: 'BOT_NOT_ACCEPTED', reason: 'denied_by_platform' })
    expect(meeting.state).toBe('blocked')
    const guest = await meet.inside('access-open')
    guest.meeting.show('unverified')
    expect(await guest.event('ended')).toMatchObject({ end: 'removed', reason: 'ejected_as_unverified' })
  })
})
