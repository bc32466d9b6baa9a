/** From the link to the meeting, or to what came instead of it. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { MeetingDriver } from '../../../packages/core/ports.ts'
import { BOT_NAME, until } from './ground.ts'
import { OUT, whenOut } from './people.ts'
import { JITSI, type PlatformUnderTest, ZOOM_SDK } from './platforms.ts'
import type { AddRows } from './rows.ts'

export function gettingIn(platform: PlatformUnderTest, { ofPage, ofPageIf, ofSharedCode, ofWholeLife }: AddRows): void {
  ofPage('a waiting room is waited in, and admission leads into the meeting', async (rig) => {
    const session = await rig.session(rig.meeting('waiting-room'))
    expect(await session.driver.join(session.stop.signal)).toBe('waiting_room')
    expect(session.meeting.botName).toBe(BOT_NAME)
    const waiting = session.driver.waitForAdmission(session.stop.signal)
    session.meeting.admit()
    await waiting
    expect(session.meeting.state).toBe('call')
    expect(session.meeting.truth.admittedAt).not.toBeNull()
    await session.driver.leave()
  })

  ofWholeLife('a denial by the host is reported as a denial, with a screenshot and the page', async (rig) => {
    const meeting = rig.meeting('waiting-room')
    const life = rig.life(meeting)
    await life.whenStatus('in_waiting_room')
    meeting.deny()
    const { report, exitCode } = await life.outcome
    expect(report).toMatchObject({ status: 'failed', error_code: 'BOT_NOT_ACCEPTED' })
    expect(exitCode).toBe(3)
    for (const file of ['screenshot.png', 'page.html', 'failure.json'])
      expect(existsSync(join(life.folder, 'debug', file)), file).toBe(true)
  })

  ofPageIf(platform.givesUpWaiting)('a platform that ends the waiting itself is reported as a timeout', async (rig) => {
    const session = await rig.session(rig.meeting('request-timeout'))
    await expect(session.enter()).rejects.toMatchObject({ code: 'TIMEOUT_WAITING_TO_START' })
  })

  ofWholeLife(
    'the host does not answer within the limit of the job: the bot withdraws its join request',
    async (rig) => {
      const meeting = rig.meeting('waiting-room')
      const life = rig.life(meeting, { timeout_config: { waiting_room_timeout: 2 } })
      const { report } = await life.outcome
      expect(report).toMatchObject({ status: 'failed', error_code: 'TIMEOUT_WAITING_TO_START' })
      await whenOut(meeting)
    },
  )

  // Each other platform has a separate test that withdraws the request.
  const ofWithdrawal = platform === JITSI ? ofPage : ofWholeLife
  ofWithdrawal('a stop while waiting withdraws the join request', async (rig) => {
    const meeting = rig.meeting('waiting-room')
    const life = rig.life(meeting)
    await life.whenStatus('in_waiting_room')
    life.stop()
    expect(await life.outcome).toMatchObject({ report: { error_code: 'EXITING_MEETING_BEFORE_RECORD' }, exitCode: 0 })
    expect(OUT).toContain(meeting.state)
  })

  ofPage('a bot that is early prepares the page, and sends its join request when it may, never before', async (rig) => {
    const { meeting, driver, stop } = await rig.session(rig.meeting('waiting-room'))
    const { promise: opened, resolve } = Promise.withResolvers<void>()
    const gate = { isOpen: false, opened }
    const joining = driver.join(stop.signal, gate)
    if (!platform.hasNoForm) await until(() => meeting.state !== 'none', 'the page is opened')
    else await expect.poll(() => sdkProgressOf(driver), { timeout: 60_000 }).toBe('initialized')
    // Everything is done that can be done: nothing more happens on the page.
    let still = { entries: -1, since: Date.now() }
    await until(
      () => {
        const { length } = meeting.log
        if (length !== still.entries) still = { entries: length, since: Date.now() }
        return Date.now() - still.since > 3_000
      },
      () => `the page stands ready: ${JSON.stringify(meeting.log.slice(-3))}`,
    )
    const seen = still.entries
    const prepared = meeting.log.slice(0, seen)
    expect(meeting.botName).toBeNull()
    expect(meeting.truth.admittedAt).toBeNull()
    const isTyped = ({ event }: { event: string }) => event === 'fill' || event === 'key'
    expect(prepared.some(isTyped)).toBe(!platform.hasNoForm)
    gate.isOpen = true
    resolve()
    expect(await joining).toBe('waiting_room')
    expect(meeting.botName).toBe(BOT_NAME)
    if (!platform.hasNoForm) expect(meeting.log.slice(seen).filter(isTyped)).toEqual([])
    await driver.leave()
  })

  ofSharedCode('a stop before the bot has asked leaves nothing behind', async (rig) => {
    const session = await rig.session(rig.meeting('waiting-room'))
    const joining = session.driver.join(session.stop.signal)
    joining.catch(() => {})
    await until(() => session.meeting.state !== 'none', 'the page is opened')
    session.stop.abort(new Error('stopped'))
    await expect(joining).rejects.toThrow('stopped')
    await session.driver.leave()
    await session.driver.close()
    await whenOut(session.meeting)
  })

  ofWholeLife('a link to a meeting that does not exist is reported as an invalid link', async (rig) => {
    const life = rig.life(rig.meeting('invalid-link'), { timeout_config: { waiting_room_timeout: 2 } })
    expect((await life.outcome).report.error_code).toBe('INVALID_MEETING_URL')
  })

  // Only the SDK's error has another hint than the other platforms'.
  const ofHint = platform === ZOOM_SDK ? ofPage : ofWholeLife
  ofHint('a meeting that is open only to accounts is reported as LOGIN_REQUIRED', async (rig) => {
    const session = await rig.session(rig.meeting('login-wall'))
    const message = expect.stringContaining(platform.accountHint ?? 'browser_state')
    await expect(session.enter()).rejects.toMatchObject({ code: 'LOGIN_REQUIRED', message })
  })

  ofPageIf(platform.session !== undefined)('a stored session opens a meeting that is closed to guests', async (rig) => {
    const { name, domain } = platform.session!
    const cookie = { name, domain, value: 'stored', path: '/', expires: -1, httpOnly: true, secure: true }
    const state = { cookies: [{ ...cookie, sameSite: 'Lax' as const }], origins: [] }
    const guest = await rig.session(rig.meeting('signed-in-join'))
    await expect(guest.enter()).rejects.toMatchObject({ code: 'LOGIN_REQUIRED' })
    const session = await rig.session(rig.meeting('signed-in-join'), {
      browserState: { kind: 'storage_state', state },
    })
    await session.enter()
    expect(session.meeting.state).toBe('call')
    await session.driver.leave()
  })
}

/** How far the page with the SDK is. */
async function sdkProgressOf(driver: MeetingDriver): Promise<string | undefined> {
  const { last } = (await driver.evidence()).signs as { last?: { sdk?: { progress: string } } }
  return last?.sdk?.progress
}
