/** A bot that does not get in, or may not record. */
import { describe, expect, test } from 'vitest'
import { BotError, DISPLAY_STEP } from '../../../packages/core/errors.ts'
import { IN_WAITING_ROOM, untilStopped, World } from '../../fakes/world.ts'

const refused = (canRetry: boolean) => new BotError('BOT_NOT_ACCEPTED', "You can't join this video call", { canRetry })
const limit = (seconds: number) => ({ timeout_config: { waiting_room_timeout: seconds } })

describe('a bot that does not get in', () => {
  test('a temporary refusal is followed by new attempts, each in a ready capture environment; the last one counts', async () => {
    const world = new World({ join: () => Promise.reject(refused(true)) })
    const { report, exitCode } = await world.end()
    const begun = ['prepare environment', 'open meeting']
    expect(world.calls.filter((call) => begun.includes(call))).toEqual([...begun, ...begun, ...begun])
    expect(report).toMatchObject({ status: 'failed', error_code: 'BOT_NOT_ACCEPTED' })
    expect(exitCode).toBe(3)
  })

  test('an attempt that failed while the servers were starting is repeated when they have started', async () => {
    const servers = Promise.withResolvers<void>()
    let opened = 0
    const world = new World({
      prepareEnvironment: () => servers.promise,
      openMeeting: () => (opened++ === 0 ? Promise.reject(refused(true)) : Promise.resolve()),
    })
    await world.clock.advance(60_000)
    expect(world.calls).toEqual(['prepare environment', 'open meeting'])
    servers.resolve()
    await world.clock.advance(60_000)
    await world.untilStatus('in_call_recording')
  })

  const denied = (reason?: 'denied_by_platform') => ({
    join: () =>
      Promise.reject(new BotError('BOT_NOT_ACCEPTED', 'Turned down.', { canRetry: true, step: 'waiting', reason })),
  })

  test('after two denials it does not ask a third time, and reports each of them', async () => {
    const sightings = [{ seen: 'lobby: Asking to be let in', at: '2026-11-20T09:00:00.000Z' }]
    const world = new World({ sightings, ...denied('denied_by_platform') })
    const report = await world.report()
    expect(world.count('join')).toBe(2)
    expect(world.events.filter(({ type }) => type === 'join_denied')).toHaveLength(2)
    expect(report).toMatchObject({ error_code: 'BOT_NOT_ACCEPTED', reason: 'denied_by_platform' })
    const seen = report.reason_evidence!.map((sighting) => sighting.seen)
    expect(seen.filter((text) => text === 'Turned down.')).toHaveLength(2)
    expect(seen).toContain('lobby: Asking to be let in')
  })

  test.each([
    [1, 1, 'unknown'],
    [2, 0, 'denied_twice'],
  ])('%i denials in earlier attempts leave %i', async (denials, joins, reason) => {
    const world = new World(denied(), { denials })
    expect(await world.report()).toMatchObject({ error_code: 'BOT_NOT_ACCEPTED', reason })
    expect(world.count('open meeting')).toBe(joins)
  })

  test.each([
    [600, 0],
    [601, 1],
  ])('a limit of %i s on Google Meet, which ends the wait itself, gives %i warnings', async (seconds, warnings) => {
    const world = new World({ join: () => Promise.reject(refused(false)) }, limit(seconds))
    await world.end()
    expect(world.notices.filter((message) => /ends the wait/.test(message))).toHaveLength(warnings)
  })

  test('a capture environment that breaks in the waiting room is set up again, and the bot asks to join once more', async () => {
    const world = new World(IN_WAITING_ROOM)
    await world.untilStatus('in_waiting_room')
    world.emitRecorder({ type: 'failed', lost: 'environment', error: new Error('The sound server died (SIGKILL)') })
    world.waitForAdmission = async () => {}
    await world.clock.advance(4_000)
    await world.untilStatus('in_call_recording')
    const entry = ['prepare environment', 'open meeting', 'join', 'waitForAdmission']
    expect(world.calls.slice(0, 10)).toEqual([...entry, 'leave', 'close meeting', ...entry])
    expect(world.statuses()).toEqual(['joining_call', 'in_waiting_room', 'in_call_not_recording', 'in_call_recording'])
  })

  test('a bot that has to enter again, on a display, waits to be admitted once more, and records', async () => {
    let entries = 0
    const world = new World({
      join: async () => 'waiting_room',
      async obtainRecordingRight() {
        if (entries++ === 0) throw new BotError('INTERNAL_ERROR', 'No picture.', { step: DISPLAY_STEP, canRetry: true })
      },
    })
    await world.untilStatus('in_call_recording')
    expect(world.count('waitForAdmission')).toBe(2)
    expect(world.statuses()).toEqual(['joining_call', 'in_waiting_room', 'in_call_not_recording', 'in_call_recording'])
    expect(world.notices).toEqual(['The bot is in the waiting room again.'])
  })

  test('a denial is final, and leaves evidence with what the host can do', async () => {
    const world = new World({ ...IN_WAITING_ROOM, waitForAdmission: () => Promise.reject(refused(false)) })
    expect((await world.end()).exitCode).toBe(3)
    expect(world.count('open meeting')).toBe(1)
    expect(world.json('debug/failure.json')).toMatchObject({
      code: 'BOT_NOT_ACCEPTED',
      signs: { seen: true },
      sentence: expect.stringContaining('Ask the host to admit the bot'),
    })
    expect(world.stored).toContain('debug/screenshot.png')
  })

  test.each([
    ['admission', 'TIMEOUT_WAITING_TO_START'],
    ['host', 'WAITING_FOR_HOST_TIMEOUT'],
    ['authorized_user', 'WAITING_FOR_AUTHORIZED_USER_TIMEOUT'],
    ['valid_link', 'INVALID_MEETING_URL'],
  ] as const)('a wait for the %s has its own code, and the bot withdraws', async (waitingFor, code) => {
    const world = new World(IN_WAITING_ROOM, limit(120))
    await world.clock.advance(119_000)
    expect(world.statuses()).not.toContain('failed')
    // The reason for the wait may change until the last moment.
    world.waitingFor = waitingFor
    await world.clock.advance(2_000)
    expect(await world.report()).toMatchObject({ status: 'failed', error_code: code })
    expect(world.calls).toContain('leave')
  })
})

describe('the right to record', () => {
  const unanswered = { obtainRecordingRight: (_limitMs: number, signal: AbortSignal) => untilStopped(signal) }

  test('is asked for in the meeting, before the page is made ready, within the limit of the waiting room', async () => {
    const limits: number[] = []
    const right = Promise.withResolvers<void>()
    const world = new World(
      {
        obtainRecordingRight(limitMs) {
          limits.push(limitMs)
          return right.promise
        },
      },
      limit(90),
    )
    await world.untilStatus('in_call_not_recording')
    await world.clock.advance(60_000)
    expect(limits).toEqual([90_000])
    expect(world.calls).not.toContain('prepareRecording')
    right.resolve()
    await world.untilStatus('in_call_recording')
  })

  test.each(['RECORDING_RIGHTS_NOT_GRANTED', 'CANNOT_REQUEST_RECORDING_RIGHT'] as const)(
    'its refusal ends the run with %s, and nothing was recorded',
    async (code) => {
      const world = new World({ obtainRecordingRight: () => Promise.reject(new BotError(code, 'no')) })
      expect(await world.report()).toMatchObject({ status: 'failed', error_code: code, duration_seconds: null })
      expect(world.calls).toContain('leave')
    },
  )

  test('a driver that hangs over it is given up soon after the limit', async () => {
    const world = new World(unanswered, limit(60))
    await world.untilStatus('in_call_not_recording')
    await world.clock.advance(65_000)
    expect(world.statuses()).not.toContain('failed')
    await world.clock.advance(10_000)
    expect((await world.report()).error_code).toBe('RECORDING_START_TIMEOUT')
  })

  test('a meeting that ends meanwhile has the code that its platform has for it', async () => {
    const world = new World(unanswered)
    await world.untilStatus('in_call_not_recording')
    const codeBeforeRecording = 'MEETING_ENDED_PREMATURELY'
    world.emit({ type: 'ended', end: 'authorized_user_left', text: 'gone', codeBeforeRecording })
    expect((await world.report()).error_code).toBe(codeBeforeRecording)
  })
})

describe('a machine that cannot run a bot', () => {
  const unfit = () =>
    Promise.reject(
      new BotError('INTERNAL_ERROR', 'ffmpeg: there is none. apt-get install ffmpeg', {
        endCause: 'MACHINE_UNFIT',
      }),
    )

  test.each([
    ['at a look', { look: unfit }],
    ['when the encoder is tried', { tryEncoder: unfit }],
  ])('is named %s, and no host admits the bot', async (_when, setUp) => {
    const world = new World(setUp)
    const { report, exitCode } = await world.end()
    expect(report).toMatchObject({ status: 'failed', error_code: 'INTERNAL_ERROR', end_cause: 'MACHINE_UNFIT' })
    expect(report.error_message).toContain('apt-get install ffmpeg')
    expect(exitCode).toBe(2)
    expect(world.calls).not.toContain('join')
  })

  test('what there is little of is a notice, and the bot joins', async () => {
    const world = new World({ look: async () => ['Memory: 300 MB to be had. Give it more.'] })
    await world.untilStatus('in_call_recording')
    expect(world.notices).toEqual(['Memory: 300 MB to be had. Give it more.'])
    world.stop('command')
    await world.end()
  })
})
