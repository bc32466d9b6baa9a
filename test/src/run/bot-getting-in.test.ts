/** A bot that does not get in, or may not record. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { BotError } from '../../../core/errors.ts'
import { untilStopped, World } from '../../fakes/world.ts'

const refused = (canRetry: boolean) => new BotError('BOT_NOT_ACCEPTED', "You can't join this video call", { canRetry })

describe('a bot that does not get in', () => {
  test('a temporary refusal is followed by new attempts, each in a ready capture environment; the last one counts', async () => {
    const world = new World((it) => {
      it.join = () => Promise.reject(refused(true))
    })
    const { report, exitCode } = await world.end()
    const begun = ['prepare environment', 'open meeting']
    expect(world.calls.filter((call) => begun.includes(call))).toEqual([...begun, ...begun, ...begun])
    expect(report).toMatchObject({ status: 'failed', error_code: 'BOT_NOT_ACCEPTED' })
    expect(exitCode).toBe(3)
  })

  test('an attempt that failed while the servers were starting is repeated when they have started', async () => {
    const servers = Promise.withResolvers<void>()
    const world = new World((it) => {
      let opened = 0
      it.prepareEnvironment = () => servers.promise
      it.openMeeting = () => (opened++ === 0 ? Promise.reject(refused(true)) : Promise.resolve())
    })
    await world.clock.advance(60_000)
    expect(world.calls).toEqual(['prepare environment', 'open meeting'])
    servers.resolve()
    await world.clock.advance(60_000)
    await world.untilStatus('in_call_recording')
    world.stop('command')
    expect((await world.end()).exitCode).toBe(0)
  })

  test('after two denials it does not ask a third time, and reports each of them', async () => {
    const world = new World((it) => {
      it.sightings = [{ seen: 'lobby: Asking to be let in', at: '2026-11-20T09:00:00.000Z' }]
      it.join = () => {
        const options = { canRetry: true, step: 'waiting', reason: 'denied_by_platform' as const }
        return Promise.reject(new BotError('BOT_NOT_ACCEPTED', 'The request was turned down.', options))
      }
    })
    const { report } = await world.end()
    expect(world.calls.filter((call) => call === 'join')).toHaveLength(2)
    expect(world.events.filter(({ type }) => type === 'join_denied')).toHaveLength(2)
    expect(report).toMatchObject({ error_code: 'BOT_NOT_ACCEPTED', reason: 'denied_by_platform' })
    const seen = report.reason_evidence!.map((sighting) => sighting.seen)
    expect(seen.filter((text) => text === 'The request was turned down.')).toHaveLength(2)
    expect(seen).toContain('lobby: Asking to be let in')
  })

  test('a bot whose earlier attempts were denied twice opens no page', async () => {
    const world = new World(() => {}, { denials: 2 })
    expect(await world.report()).toMatchObject({ error_code: 'BOT_NOT_ACCEPTED', reason: 'denied_twice' })
    expect(world.calls).not.toContain('open meeting')
  })

  test('one denial in an earlier attempt leaves one request', async () => {
    const world = new World(
      (it) => {
        it.join = () => Promise.reject(new BotError('BOT_NOT_ACCEPTED', 'No.', { canRetry: true, step: 'waiting' }))
      },
      { denials: 1 },
    )
    expect(await world.report()).toMatchObject({ reason: 'unknown' })
    expect(world.calls.filter((call) => call === 'join')).toHaveLength(1)
  })

  test.each([
    [600, 0],
    [601, 1],
  ])('a limit of %i s on Google Meet, which ends the wait itself, gives %i warnings', async (limit, warnings) => {
    const world = new World(
      (it) => {
        it.join = () => Promise.reject(refused(false))
      },
      { timeout_config: { waiting_room_timeout: limit } },
    )
    await world.end()
    const notices = world.events.filter((event) => event.type === 'notice' && /ends the wait/.test(event.message))
    expect(notices).toHaveLength(warnings)
  })

  test('a third attempt that succeeds is a success', async () => {
    let attempts = 0
    const world = new World((it) => {
      it.join = async () => {
        attempts += 1
        if (attempts < 3) throw refused(true)
        return 'in_meeting'
      }
    })
    await world.clock.advance(30_000)
    await world.untilStatus('in_call_recording')
    world.stop('command')
    expect((await world.end()).exitCode).toBe(0)
  })

  test('a capture environment that breaks in the waiting room is set up again, and the bot asks to join once more', async () => {
    const world = new World((it) => {
      it.join = async () => 'waiting_room'
      it.waitForAdmission = untilStopped
    })
    await world.untilStatus('in_waiting_room')
    const error = new Error('The sound server died (SIGKILL)')
    world.emitRecorder({ type: 'failed', lost: 'environment', error, at: world.clock.now() })
    world.waitForAdmission = async () => {}
    await world.clock.advance(4_000)
    await world.untilStatus('in_call_recording')
    const entry = ['prepare environment', 'open meeting', 'join', 'waitForAdmission']
    expect(world.calls.slice(0, 10)).toEqual([...entry, 'leave', 'close meeting', ...entry])
    expect(world.statuses()).toEqual(['joining_call', 'in_waiting_room', 'in_call_not_recording', 'in_call_recording'])
    world.stop('command')
    expect(await world.report()).toMatchObject({ status: 'completed' })
  })

  test('a denial is final, and leaves evidence with what the host can do', async () => {
    const world = new World((it) => {
      it.join = async () => 'waiting_room'
      it.waitForAdmission = () => Promise.reject(refused(false))
    })
    const { exitCode } = await world.end()
    expect(exitCode).toBe(3)
    expect(world.calls.filter((call) => call === 'open meeting')).toHaveLength(1)
    const failure = JSON.parse(await readFile(join(world.workFolder, 'debug/failure.json'), 'utf8'))
    expect(failure).toMatchObject({ code: 'BOT_NOT_ACCEPTED', signs: { seen: true } })
    expect(failure.sentence).toContain('Ask the host to admit the bot')
    expect(world.stored).toContain('debug/screenshot.png')
  })

  test.each([
    ['host', 'WAITING_FOR_HOST_TIMEOUT'],
    ['authorized_user', 'WAITING_FOR_AUTHORIZED_USER_TIMEOUT'],
    ['valid_link', 'INVALID_MEETING_URL'],
  ] as const)('a wait for the %s that took too long has its own code', async (waitingFor, code) => {
    const world = new World((it) => {
      it.join = async () => 'waiting_room'
      it.waitForAdmission = untilStopped
    })
    await world.untilStatus('in_waiting_room')
    // The reason for the wait may change until the last moment.
    world.waitingFor = waitingFor
    expect(await world.report()).toMatchObject({ status: 'failed', error_code: code })
    expect(world.calls).toContain('leave')
  })

  test('the host does not answer: the bot withdraws its join request', async () => {
    const world = new World(
      (it) => {
        it.join = async () => 'waiting_room'
        it.waitForAdmission = untilStopped
      },
      { timeout_config: { waiting_room_timeout: 120 } },
    )
    await world.clock.advance(119_000)
    expect(world.statuses()).not.toContain('failed')
    await world.clock.advance(2_000)
    const { report, exitCode } = await world.end()
    expect(report.error_code).toBe('TIMEOUT_WAITING_TO_START')
    expect(exitCode).toBe(3)
    expect(world.calls).toContain('leave')
  })

  test('the recorder is never started for it', async () => {
    const world = new World((it) => {
      it.join = () => Promise.reject(new BotError('LOGIN_REQUIRED', 'sign in'))
    })
    expect((await world.report()).duration_seconds).toBeNull()
    expect(world.calls).not.toContain('start recording')
    expect(world.calls).toContain('close recorder')
  })
})

describe('the right to record', () => {
  test('is asked for in the meeting, before the page is made ready, within the limit of the waiting room', async () => {
    const limits: number[] = []
    let grant = () => {}
    const world = new World(
      (it) => {
        it.obtainRecordingRight = (limitMs) => {
          limits.push(limitMs)
          return new Promise((resolve) => {
            grant = resolve
          })
        }
      },
      { timeout_config: { waiting_room_timeout: 90 } },
    )
    await world.untilStatus('in_call_not_recording')
    await world.clock.advance(60_000)
    expect(limits).toEqual([90_000])
    expect(world.calls).not.toContain('prepareRecording')
    grant()
    await world.untilStatus('in_call_recording')
    world.stop('command')
    expect((await world.report()).end_code).toBe('API_REQUEST')
  })

  test.each(['RECORDING_RIGHTS_NOT_GRANTED', 'CANNOT_REQUEST_RECORDING_RIGHT'] as const)(
    'its refusal ends the run with %s, and nothing was recorded',
    async (code) => {
      const world = new World((it) => {
        it.obtainRecordingRight = () => Promise.reject(new BotError(code, 'no'))
      })
      expect(await world.report()).toMatchObject({ status: 'failed', error_code: code, duration_seconds: null })
      expect(world.calls).toContain('leave')
    },
  )

  test('a driver that hangs over it is given up soon after the limit', async () => {
    const world = new World(
      (it) => {
        it.obtainRecordingRight = (_limitMs, signal) => untilStopped(signal)
      },
      { timeout_config: { waiting_room_timeout: 60 } },
    )
    await world.untilStatus('in_call_not_recording')
    await world.clock.advance(65_000)
    expect(world.statuses()).not.toContain('failed')
    await world.clock.advance(10_000)
    expect((await world.report()).error_code).toBe('RECORDING_START_TIMEOUT')
  })

  test('a stop while it is asked for is obeyed', async () => {
    const world = new World((it) => {
      it.obtainRecordingRight = (_limitMs, signal) => untilStopped(signal)
    })
    await world.untilStatus('in_call_not_recording')
    world.stop('command')
    expect(await world.end()).toMatchObject({ report: { error_code: 'EXITING_MEETING_BEFORE_RECORD' }, exitCode: 0 })
  })

  test('a meeting that ends meanwhile has the code that its platform has for it', async () => {
    const world = new World((it) => {
      it.obtainRecordingRight = (_limitMs, signal) => untilStopped(signal)
    })
    await world.untilStatus('in_call_not_recording')
    const at = world.clock.now()
    const codeBeforeRecording = 'MEETING_ENDED_PREMATURELY'
    world.emit({ type: 'ended', end: 'authorized_user_left', text: 'gone', at, codeBeforeRecording })
    expect((await world.report()).error_code).toBe(codeBeforeRecording)
  })
})
