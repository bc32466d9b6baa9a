/** Access modes and account kinds on each platform: guest, account, invited account, account that is signed out. */
import type { StorageState } from '@standin/wire/account-session.ts'
import { sessionOf } from '@standin/wire/account-session.ts'
import type { Reason } from '@standin/wire/reasons.ts'
import { describe, expect, test } from 'vitest'
import type { BotError } from '../../packages/core/errors.ts'
import type { Admission } from '../../packages/core/ports.ts'
import type { Accounts } from '../../packages/mock/shared/accounts.ts'
import type { Attempt } from './attempts.ts'
import { until } from './conformance/ground.ts'
import { meetHarness } from './google-meet/harness.ts'
import { teamsHarness } from './microsoft-teams/harness.ts'
import { zoomHarness } from './zoom/harness.ts'

type AnyHarness = {
  attempt(scenario: string, options: object): Promise<Attempt>
  mock(): { accounts: Accounts }
}
const PLATFORMS = [
  ['Google Meet', 'meet', meetHarness],
  ['Microsoft Teams', 'teams', teamsHarness],
  ['Zoom', 'zoom', zoomHarness],
] as const

/** A bot with the session, and what it said of it. */
async function send(harness: AnyHarness, scenario: string, state: StorageState | null) {
  const refreshed: StorageState['cookies'][] = []
  const wanted: string[] = []
  const attempt = await harness.attempt(scenario, {
    speed: 30,
    driver: {
      browserState: state && { kind: 'storage_state', state },
      expectsAccount: state !== null,
      account: {
        onLoginRequired: (text: string) => wanted.push(text) > 0,
        onRefreshed: async (cookies: StorageState['cookies']) => void refreshed.push(cookies),
      },
    },
  })
  const join = (): Promise<Admission | { code: string; reason?: Reason; canRetry: boolean }> =>
    attempt.driver.join(attempt.signal).catch(({ code, reason, canRetry }: BotError) => ({ code, reason, canRetry }))
  return { ...attempt, refreshed, wanted, join }
}

describe.each(PLATFORMS)('%s', (_name, platform, start) => {
  const harness = start() as AnyHarness
  const session = () => {
    const read = sessionOf(platform, harness.mock().accounts.signIn())
    if ('problem' in read) throw new Error(read.problem)
    return read.session
  }

  test('a guest is refused with the reason, and another attempt may come with an account', async () => {
    const bot = await send(harness, 'access-account', null)
    expect(await bot.join()).toMatchObject({ code: 'LOGIN_REQUIRED', reason: 'account_required', canRetry: true })
    expect(bot.wanted).toHaveLength(1)
    expect(bot.refreshed).toEqual([])
  })

  test('an account comes into a meeting that is closed to guests; its refreshed session is given back', async () => {
    const state = session()
    const bot = await send(harness, 'access-account', state)
    if ((await bot.join()) === 'waiting_room') {
      bot.meeting.admit()
      await bot.driver.waitForAdmission(bot.signal)
    }
    await until(() => bot.refreshed.length > 0, 'the session is given back after the join')
    await bot.driver.leave()
    await bot.driver.close()
    expect(bot.refreshed.length).toBeGreaterThan(1)
    const { name, value } = state.cookies[0]!
    for (const cookies of bot.refreshed) {
      const fresh = cookies.find((cookie) => cookie.name === name)
      expect(fresh?.value).toMatch(/^session-/)
      expect(fresh?.value).not.toBe(value)
    }
    expect(bot.wanted).toEqual([])
  })

  test('a session that is signed out already says so, and not that an account is required', async () => {
    const state = session()
    const { accounts } = harness.mock()
    const { name, value } = state.cookies[0]!
    accounts.of({ headers: { cookie: `${name}=${value}` } } as never)!.signOut()
    const bot = await send(harness, 'access-account', state)
    expect(await bot.join()).toMatchObject({ code: 'LOGIN_REQUIRED', reason: 'account_signed_out' })
    expect(bot.wanted).toHaveLength(1)
  })

  test('an invited account skips the waiting room; one that is signed out during the meeting ends it with the reason', async () => {
    const bot = await send(harness, 'access-invited', session())
    expect(await bot.enter()).toBe('in_meeting')
    bot.meeting.show('signed-out')
    expect(await bot.event('ended')).toMatchObject({ end: 'removed', reason: 'account_signed_out' })
    expect(bot.wanted).toHaveLength(1)
  })
})
