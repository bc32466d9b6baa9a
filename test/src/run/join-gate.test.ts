/** When a bot asks to join: it prepares the page early, and sends its join request at its planned time. */
import { describe, expect, test } from 'vitest'
import { BotError } from '../../../packages/core/errors.ts'
import { IN_WAITING_ROOM, untilStopped, World } from '../../fakes/world.ts'

/** Where the hand-moved clock begins. */
const START = Date.parse('2026-11-21T09:00:00.000Z')
const planned = (seconds: number) => ({ not_before: new Date(START + seconds * 1000).toISOString() })
const unwelcomed = { whenWelcomed: () => new Promise<never>(() => {}) }

describe('a bot with a planned time', () => {
  test('prepares everything at once, opens the link half a minute ahead, and asks at the planned time', async () => {
    const world = new World((it) => {
      it.prepareStorage = async () => void it.calls.push('prepare storage')
    }, planned(90))
    await world.clock.advance(59_999)
    expect(world.linkOpenedAt).toEqual([])
    await world.clock.advance(30_000)
    expect(world.linkOpenedAt).toEqual([START + 60_000])
    expect(world.askedAt).toEqual([])
    expect(world.calls).toEqual(['prepare storage', 'prepare environment', 'open meeting'])
    expect(world.statuses()).toEqual(['joining_call'])
    await world.clock.advance(1)
    expect(world.askedAt).toEqual([START + 90_000])
    expect(world.notices).toEqual([])
  })

  test('reads the offset of the planned time', async () => {
    const world = new World({}, { not_before: '2026-11-21T11:00:30+02:00' })
    await world.clock.advance(29_000)
    expect(world.calls).not.toContain('join')
    await world.clock.advance(1_000)
    expect(world.calls).toContain('join')
  })

  test('waits in the waiting room for its limit, counted from the request to join', async () => {
    const world = new World(IN_WAITING_ROOM, { ...planned(600), timeout_config: { waiting_room_timeout: 60 } })
    await world.clock.advance(659_000)
    expect(world.statuses()).toEqual(['joining_call', 'in_waiting_room'])
    expect(await world.report()).toMatchObject({ error_code: 'TIMEOUT_WAITING_TO_START' })
  })

  test.each([
    ['command', 'EXITING_MEETING_BEFORE_RECORD'],
    ['terminate', 'SIGTERM'],
  ] as const)('ends without joining when a %s stops it while it waits', async (by, error_code) => {
    const world = new World({}, planned(600))
    await world.clock.advance(300_000)
    world.stop(by)
    const { report, exitCode } = await world.end()
    expect(report).toMatchObject({ status: 'failed', error_code, joined_at: null })
    expect(exitCode).toBe(0)
    expect(world.calls).not.toContain('join')
    expect(world.calls.slice(-4)).toEqual(['leave', 'close meeting', 'close recorder', 'drain'])
  })

  test('waits again for the planned time when the display breaks while it waits', async () => {
    const world = new World({}, planned(60))
    await world.clock.advance(20_000)
    world.emitRecorder({ type: 'failed', lost: 'environment', error: new Error('Xvfb ended') })
    await world.clock.advance(60_000)
    expect(world.count('open meeting')).toBe(2)
    expect(world.askedAt).toEqual([START + 60_000])
  })

  test('has the whole time for a page to decide, counted from the planned time', async () => {
    const world = new World({ join: untilStopped }, planned(3_600))
    // 240 s for each of three attempts, with pauses between them.
    await world.clock.advance(3_839_000)
    expect(world.count('open meeting')).toBe(1)
    expect(await world.report()).toMatchObject({ error_code: 'CANNOT_JOIN_MEETING' })
  })

  test('joins at once where it is late, and reports that once, also when the first attempt to join fails', async () => {
    let attempts = 0
    const world = new World(
      {
        async join() {
          if (++attempts === 1) throw new BotError('BOT_NOT_ACCEPTED', 'Refused', { canRetry: true })
          return 'in_meeting'
        },
      },
      planned(-7_200),
    )
    await world.clock.advance(10_000)
    expect(attempts).toBe(2)
    expect(world.notices).toEqual(['The bot asks to join 7200 s after its planned time (not_before).'])
  })
})

describe('a bot that waits for the welcome of its control plane', () => {
  const WAITS = { wait_for_welcome_seconds: 30 }

  test('prepares everything, and joins when it is welcomed', async () => {
    const welcome = Promise.withResolvers<void>()
    const world = new World({ whenWelcomed: () => welcome.promise }, WAITS)
    await world.clock.advance(20_000)
    expect(world.calls).toEqual(['prepare environment', 'open meeting'])
    welcome.resolve()
    await world.clock.advance(0)
    expect(world.calls).toContain('join')
    await world.clock.advance(20_000)
    expect(world.notices).toEqual([])
  })

  test('never joins when it is ordered to leave after the welcome', async () => {
    const welcome = Promise.withResolvers<void>()
    const world = new World({ whenWelcomed: () => welcome.promise }, WAITS)
    await world.clock.advance(5_000)
    welcome.resolve()
    expect(await world.command({ type: 'leave' })).toEqual({ ok: true })
    const { report, exitCode } = await world.end()
    expect(report).toMatchObject({ status: 'failed', error_code: 'EXITING_MEETING_BEFORE_RECORD' })
    expect(exitCode).toBe(0)
    expect(world.calls).not.toContain('join')
    expect(world.notices).toEqual([])
  })

  test('continues without a welcome past the limit, and reports it once', async () => {
    const world = new World(unwelcomed, WAITS)
    await world.clock.advance(29_999)
    expect(world.calls).not.toContain('join')
    await world.clock.advance(1)
    expect(world.calls).toContain('join')
    const message = 'The control plane did not welcome the bot within 30 s; the bot asks to join without it.'
    expect(world.notices).toEqual([message])
  })

  test('is on time where the limit ends before the planned time', async () => {
    const world = new World(unwelcomed, { ...WAITS, ...planned(60) })
    await world.clock.advance(61_000)
    expect(world.askedAt).toEqual([START + 60_000])
  })

  test('does not wait by default', async () => {
    const world = new World(unwelcomed)
    await world.clock.advance(0)
    expect(world.calls).toContain('join')
  })
})
