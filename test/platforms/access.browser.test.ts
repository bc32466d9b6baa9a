/** Access modes and platforms: the driver's reason is that of the mock's access mode, or `unknown`; never another. */
import { readMeeting } from '@standin/wire/meeting-links/index.ts'
import { REASON_TABLE, type Reason, reasonOfFailure } from '@standin/wire/reasons.ts'
import { describe, expect, test } from 'vitest'
import type { MeetingTarget, PlatformName } from '../../core/meeting/meeting.ts'
import { BOT_TOKEN_SECONDS, newBotToken } from '../../mock/microsoft-teams/bot-token.ts'
import { invitationOf } from '../../mock/microsoft-teams/links.ts'
import type { TeamsMeeting } from '../../mock/microsoft-teams/meeting.ts'
import type { MockMeeting } from '../../mock/types.ts'
import type { Attempt } from './attempts.ts'
import { meetHarness } from './google-meet/harness.ts'
import { jitsiHarness } from './jitsi/harness.ts'
import { teamsHarness } from './microsoft-teams/harness.ts'
import { zoomHarness } from './zoom/harness.ts'
import { failureOf, sdkHarness } from './zoom/meeting-sdk/sdk-harness.ts'

interface Row {
  /** Of the mock. */
  scenario: string
  reason: Reason
  /** Default 6. */
  speed?: number
  /** The deed of the host once the bot waits. */
  act?(meeting: MockMeeting): void
}

/** Longer than a machine needs for an answer, by a poll of a slow one. Milliseconds. */
const PERSON_MS = 3500

type AnyHarness = { attempt(scenario: string, options: object): Promise<Attempt> }

/** Two at once: more would blur the times. */
async function reasonsOf(harness: AnyHarness, rows: readonly Row[]): Promise<[string, Reason | undefined, string][]> {
  const found: [string, Reason | undefined, string][] = []
  const left = [...rows.entries()]
  const work = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [place, { scenario, speed = 6, act }] = next
      const attempt = await harness.attempt(scenario, { speed, waits: { captchaMs: 1000 } })
      const failed = await failureOf(entering(attempt, act))
      found[place] = [scenario, reasonOfFailure(failed.code, failed.reason), failed.code]
      expect(attempt.driver.sightings.length, scenario).toBeGreaterThan(0)
      await attempt.driver.close()
    }
  }
  await Promise.all([work(), work()])
  return found
}

async function entering({ driver, meeting, signal }: Attempt, act: Row['act']): Promise<void> {
  if ((await driver.join(signal)) === 'in_meeting') throw new Error('It came straight in')
  if (act) setTimeout(() => act(meeting), PERSON_MS)
  await driver.waitForAdmission(signal)
}

const deny = (meeting: MockMeeting) => meeting.deny()
const end = (meeting: MockMeeting) => meeting.endForAll()

const MATRIX: Record<string, { platform: PlatformName; harness: () => AnyHarness; rows: readonly Row[] }> = {
  'Google Meet': {
    platform: 'meet',
    harness: meetHarness,
    rows: [
      // The page has the words of a denial by a person; only the time shows that the platform may have denied.
      { scenario: 'access-suspected', reason: 'unknown', speed: 30 },
      { scenario: 'access-waiting-room', reason: 'denied_by_person', act: deny },
      { scenario: 'access-waiting-room', reason: 'ended', act: end },
      { scenario: 'access-denied-at-once', reason: 'denied_by_platform' },
      { scenario: 'access-blocked', reason: 'denied_by_platform' },
      { scenario: 'access-account', reason: 'account_required' },
      { scenario: 'access-full', reason: 'full' },
      { scenario: 'access-captcha', reason: 'captcha' },
      { scenario: 'request-timeout', reason: 'waiting_ended_by_platform' },
    ],
  },
  'Microsoft Teams': {
    platform: 'teams',
    harness: teamsHarness,
    rows: [
      { scenario: 'access-waiting-room', reason: 'waiting_ended_by_platform', speed: 300 },
      { scenario: 'access-waiting-room', reason: 'denied_by_person', act: deny },
      { scenario: 'access-require-approval', reason: 'denied_by_person', act: deny },
      { scenario: 'access-require-approval', reason: 'ended', act: end },
      { scenario: 'access-block-detected', reason: 'policy_blocks_bots' },
      { scenario: 'access-guests-off', reason: 'policy_blocks_guests' },
      { scenario: 'access-account', reason: 'account_required' },
      { scenario: 'access-not-started', reason: 'not_started' },
      { scenario: 'access-locked', reason: 'locked' },
      { scenario: 'access-full', reason: 'full' },
      { scenario: 'access-captcha', reason: 'captcha' },
    ],
  },
  Zoom: {
    platform: 'zoom',
    harness: zoomHarness,
    rows: [
      { scenario: 'access-waiting-room', reason: 'denied_by_person', act: deny },
      { scenario: 'access-rtms', reason: 'rtms_required' },
      { scenario: 'access-removed-before', reason: 'denied_by_person' },
      { scenario: 'access-account', reason: 'account_required' },
      { scenario: 'access-registration', reason: 'invitation_required' },
      { scenario: 'access-locked', reason: 'locked' },
      { scenario: 'access-full', reason: 'full' },
      { scenario: 'access-ended', reason: 'ended' },
      { scenario: 'access-captcha', reason: 'captcha' },
    ],
  },
  'Zoom, Meeting SDK': {
    platform: 'zoom',
    harness: sdkHarness,
    rows: [
      { scenario: 'sdk-waiting-room-timeout', reason: 'denied_by_person', act: deny },
      { scenario: 'sdk-locked-4006', reason: 'locked' },
      { scenario: 'sdk-full-4005', reason: 'full' },
      { scenario: 'sdk-ended-4004', reason: 'ended' },
      { scenario: 'sdk-captcha-3634', reason: 'captcha' },
      { scenario: 'sdk-login-required-3100', reason: 'account_required' },
      { scenario: 'sdk-registration-3099', reason: 'invitation_required' },
      { scenario: 'sdk-removed-before-3009', reason: 'denied_by_person' },
      { scenario: 'sdk-duplicate-4008', reason: 'unknown' },
    ],
  },
  'Jitsi Meet': {
    platform: 'jitsi',
    harness: jitsiHarness,
    rows: [
      { scenario: 'access-waiting-room', reason: 'denied_by_person', act: deny },
      { scenario: 'access-waiting-room', reason: 'ended', act: end },
      { scenario: 'access-account', reason: 'account_required' },
      { scenario: 'access-token', reason: 'invitation_required' },
      { scenario: 'access-locked', reason: 'locked' },
      { scenario: 'access-full', reason: 'full' },
    ],
  },
}

describe.each(Object.entries(MATRIX))('%s', (_name, { platform, harness: start, rows }) => {
  const harness = start()

  test('each access mode has its reason, and no reason is untrue', async () => {
    const found = await reasonsOf(harness, rows)
    expect(found.map(([scenario, reason]) => [scenario, reason])).toEqual(
      rows.map(({ scenario, reason }) => [scenario, reason]),
    )
    for (const [scenario, reason, code] of found) {
      const { codes, platforms } = REASON_TABLE[reason!]
      expect([...codes, platform], scenario).toEqual(expect.arrayContaining([code, platform]))
      expect(platforms, scenario).toContain(platform)
    }
  })
})

const REGISTERED = { tenant: 'example.com', clientId: 'bot' }
const TOKENS: Record<string, () => string | null> = {
  none: () => null,
  valid: () => newBotToken(REGISTERED),
  expired: () => newBotToken(REGISTERED, Date.now() - (BOT_TOKEN_SECONDS + 1) * 1000),
  foreign: () => newBotToken(REGISTERED, Date.now(), 'another key'),
}
/** The state of the page when the bot is in, waits or was refused: with a valid token, and without one. */
const POLICIES = {
  'allow-all-bots': ['call', 'call'],
  'require-approval': ['call', 'suspected'],
  'block-detected': ['call', 'botsBlocked'],
} as const

describe.each(Object.entries(POLICIES))('Microsoft Teams, %s', (policy, [registered, detected]) => {
  const teams = teamsHarness()

  test.each(Object.entries(TOKENS))('a bot with the token "%s"', async (name, tokenOf) => {
    const token = tokenOf()
    const driver = { teamsToken: async () => token }
    // Links of both forms: the token goes behind the `#` that one of them has.
    const attempts = (['short', 'classic'] as const).map(async (link) => {
      const retarget = (target: MeetingTarget, { ids }: TeamsMeeting) => ({
        ...target,
        ...readMeeting(invitationOf(ids, link)),
      })
      const { driver: bot, meeting, signal } = await teams.attempt(`access-${policy}`, { speed: 20, driver, retarget })
      await bot.join(signal).catch(() => {})
      expect(meeting.state, link).toBe(name === 'valid' ? registered : detected)
      expect(meeting.botToken, link).toBe(token === null ? null : name)
      // The evidence of this page holds the token nowhere.
      if (token !== null) expect(JSON.stringify(await bot.evidence())).not.toContain(token)
      await bot.close()
    })
    await Promise.all(attempts)
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
