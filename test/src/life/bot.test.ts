import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { BotError, ChatUnavailable } from '../../../src/errors.ts'
import { StorageError } from '../../../storage/error.ts'
import { grown, untilStopped, World } from '../../fakes/world.ts'

const ann = { id: 'devices/1', name: 'Ann' }
const ben = { id: 'devices/2', name: 'Ben' }

/** A bot that is in the meeting, records, and sees two people. */
async function recording(setUp?: (world: World) => void, job?: Record<string, unknown>): Promise<World> {
  const world = new World(setUp, job)
  await world.untilStatus('in_call_recording')
  const at = world.clock.now()
  world.emit({ type: 'participant_joined', participant: ann, at })
  world.emit({ type: 'participant_joined', participant: ben, at })
  await world.pass(1, 2)
  return world
}

const refused = (canRetry: boolean) => new BotError('BOT_NOT_ACCEPTED', "You can't join this video call", { canRetry })

describe('a run without failures', () => {
  test('goes through the waiting room, records, leaves when told and reports every step', async () => {
    const world = new World((it) => {
      it.join = async () => 'waiting_room'
    })
    await world.untilStatus('in_call_recording')
    await world.pass(10, 1)
    expect(await world.command({ type: 'leave' })).toEqual({ ok: true })
    const { report, exitCode } = await world.end()
    expect(world.statuses()).toEqual([
      'joining_call',
      'in_waiting_room',
      'in_call_not_recording',
      'in_call_recording',
      'completed',
    ])
    expect(exitCode).toBe(0)
    expect(report).toMatchObject({
      status: 'completed',
      end_code: 'API_REQUEST',
      error_code: null,
      location: '/somewhere',
    })
    expect(world.stored).toEqual(['video.mp4', 'manifest.json', 'events.jsonl'])
    expect(world.events.at(-1)?.type).toBe('final_report')
  })

  test('writes the entry message after admission and lists it among the messages', async () => {
    const world = await recording(undefined, { entry_message: 'Hello from a bot' })
    expect(world.sentChat).toEqual(['Hello from a bot'])
    await world.command({ type: 'leave' })
    await world.end()
    const chat = JSON.parse(await readFile(join(world.workFolder, 'chat_messages.json'), 'utf8'))
    expect(chat).toMatchObject([{ text: 'Hello from a bot', sender_id: null, sender_name: 'Standin', is_own: true }])
  })

  test('an entry message that cannot be written is reported and changes nothing else', async () => {
    const world = await recording(
      (it) => {
        it.sendChat = () => Promise.reject(new ChatUnavailable())
      },
      { entry_message: 'Hello' },
    )
    expect(world.events).toContainEqual(expect.objectContaining({ type: 'notice', level: 'warning' }))
    world.stop('command')
    expect((await world.report()).status).toBe('completed')
  })

  test("notes who was there, who spoke and what they wrote, in the recording's own time", async () => {
    const world = await recording()
    const start = world.spans[0]!.startedAt
    world.emit({
      type: 'speaking',
      participantId: ann.id,
      isSpeaking: true,
      source: 'csrc',
      confidence: 0.9,
      at: start + 2000,
    })
    world.emit({
      type: 'speaking',
      participantId: ann.id,
      isSpeaking: false,
      source: 'csrc',
      confidence: 0.9,
      at: start + 5000,
    })
    const message = { id: 'm1', senderId: ben.id, senderName: 'Ben', text: '<b>hi</b>', at: start + 3000, isOwn: false }
    world.emit({ type: 'chat_message', message })
    world.emit({ type: 'chat_message', message })
    await world.pass(10, 2)
    world.stop('command')
    const report = await world.report()
    expect(report.participants.map(({ name }) => name)).toEqual(['Ann', 'Ben'])
    expect(report.speakers.map(({ name }) => name)).toEqual(['Ann'])
    const lines = (await readFile(join(world.workFolder, 'diarization.jsonl'), 'utf8')).trim().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { speaker: 'Ann', start_time: 2, end_time: 5, user_id: 1, source: 'csrc' },
    ])
    const chat = JSON.parse(await readFile(join(world.workFolder, 'chat_messages.json'), 'utf8'))
    expect(chat).toMatchObject([{ message_id: 'm1', sender_id: 2, text: '<b>hi</b>', offset: 3 }])
  })
})

describe('ends the meeting brings', () => {
  test.each([
    ['removed', 'BOT_REMOVED'],
    ['ended_for_all', 'BOT_REMOVED'],
    ['everyone_left', 'NO_ATTENDEES'],
    ['authorized_user_left', 'BOT_REMOVED'],
  ] as const)('%s is a normal end with code %s', async (end, code) => {
    const world = await recording()
    await world.pass(10, 2)
    world.emit({ type: 'ended', end, text: 'gone', at: world.clock.now() })
    const { report, exitCode } = await world.end()
    expect(report).toMatchObject({ status: 'completed', end_code: code })
    expect(exitCode).toBe(0)
  })

  test('a removal right after the start is a failure, and what was recorded is stored', async () => {
    const world = await recording()
    world.emit({ type: 'ended', end: 'removed', text: 'gone', at: world.clock.now() })
    const { report, exitCode } = await world.end()
    expect(report).toMatchObject({ status: 'failed', error_code: 'BOT_REMOVED_TOO_EARLY' })
    expect(exitCode).toBe(4)
    expect(world.stored).toContain('video.mp4')
  })

  test('the first reason to end wins', async () => {
    const world = await recording()
    await world.pass(10, 2)
    world.emit({ type: 'ended', end: 'everyone_left', text: '', at: world.clock.now() })
    world.emit({ type: 'failed', error: new BotError('INTERNAL_ERROR', 'page gone'), at: world.clock.now() })
    expect(await world.report()).toMatchObject({ status: 'completed', end_code: 'NO_ATTENDEES' })
  })
})

describe('leave rules', () => {
  test('no participant ever joins', async () => {
    const world = new World(undefined, { timeout_config: { no_one_joined_timeout: 60 } })
    await world.untilStatus('in_call_recording')
    await world.pass(59, 0)
    expect(world.statuses()).not.toContain('completed')
    await world.pass(3, 0)
    expect(await world.report()).toMatchObject({ status: 'completed', end_code: 'NO_ATTENDEES' })
  })

  test('all other participants have left', async () => {
    const world = await recording()
    await world.pass(20, 0)
    expect(world.statuses()).not.toContain('completed')
    await world.pass(15, 0)
    expect(await world.report()).toMatchObject({ end_code: 'NO_ATTENDEES' })
  })

  test('no participant speaks, and no sound is captured either', async () => {
    const world = await recording(undefined, { timeout_config: { silence_timeout: 30 } })
    await world.pass(20, 2)
    world.emitRecorder({ type: 'sound', isAudible: true, at: world.clock.now() })
    await world.pass(40, 2)
    expect(world.statuses()).not.toContain('completed')
    world.emitRecorder({ type: 'sound', isAudible: false, at: world.clock.now() })
    await world.pass(33, 2)
    expect(await world.report()).toMatchObject({ end_code: 'NO_SPEAKER' })
  })

  test('the recording is as long as allowed, pauses not counted', async () => {
    const world = await recording(undefined, { timeout_config: { recording_timeout: 60 } })
    await world.pass(30, 2)
    await world.command({ type: 'pause' })
    await world.pass(100, 2)
    await world.command({ type: 'resume' })
    await world.pass(20, 2)
    expect(world.statuses()).not.toContain('completed')
    await world.pass(15, 2)
    expect(await world.report()).toMatchObject({ end_code: 'RECORDING_TIMEOUT' })
  })

  test('a page that does not answer decides nothing', async () => {
    const world = await recording(undefined, { timeout_config: { silence_timeout: 30 } })
    await world.pass(2, 0)
    await world.clock.advance(300_000)
    expect(world.statuses()).not.toContain('completed')
    await world.pass(25, 0)
    expect(world.statuses()).not.toContain('completed')
    world.stop('command')
    await world.end()
  })
})

describe('a bot that does not get in', () => {
  test('a temporary refusal is followed by new attempts, each in a ready capture environment; the last one counts', async () => {
    const world = new World((it) => {
      it.join = () => Promise.reject(refused(true))
    })
    const { report, exitCode } = await world.end()
    const begun = ['prepare stage', 'open meeting']
    expect(world.calls.filter((call) => begun.includes(call))).toEqual([...begun, ...begun, ...begun])
    expect(report).toMatchObject({ status: 'failed', error_code: 'BOT_NOT_ACCEPTED' })
    expect(exitCode).toBe(3)
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
    world.emitRecorder({ type: 'failed', lost: 'stage', error, at: world.clock.now() })
    world.waitForAdmission = async () => {}
    await world.clock.advance(4_000)
    await world.untilStatus('in_call_recording')
    const entry = ['prepare stage', 'open meeting', 'join', 'waitForAdmission']
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

describe('stopping', () => {
  const waits: [string, (world: World) => void][] = [
    [
      'while the page loads',
      (it) => {
        it.join = untilStopped
      },
    ],
    [
      'in the waiting room',
      (it) => {
        it.join = async () => 'waiting_room'
        it.waitForAdmission = untilStopped
      },
    ],
  ]
  test.each(waits)('%s leaves before recording, with exit code 0', async (_, setUp) => {
    const world = new World(setUp)
    await world.clock.advance(1000)
    expect(await world.command({ type: 'leave' })).toEqual({ ok: true })
    const { report, exitCode } = await world.end()
    expect(report).toMatchObject({ status: 'failed', error_code: 'EXITING_MEETING_BEFORE_RECORD' })
    expect(exitCode).toBe(0)
    expect(world.calls).toContain('leave')
  })

  test('SIGTERM while recording finishes and stores, and says SIGTERM', async () => {
    const world = await recording()
    world.stop('terminate')
    const { report, exitCode } = await world.end()
    expect(report).toMatchObject({ status: 'failed', error_code: 'SIGTERM' })
    expect(exitCode).toBe(4)
    expect(world.stored).toContain('video.mp4')
  })

  test('an interrupt while recording is a normal end', async () => {
    const world = await recording()
    world.stop('interrupt')
    expect(await world.report()).toMatchObject({ status: 'completed', end_code: 'API_REQUEST' })
  })

  test('a second interrupt does not wait for a page that will not let go', async () => {
    const world = await recording((it) => {
      it.leave = () => new Promise(() => {})
    })
    world.stop('interrupt')
    await world.clock.advance(100)
    world.stop('interrupt', true)
    await world.clock.advance(100)
    expect(world.calls).toContain('close meeting')
    expect(await world.report()).toMatchObject({ status: 'completed' })
    expect(world.stored).toContain('video.mp4')
  })

  test('leaving has a deadline, so that it cannot eat the storing', async () => {
    const world = await recording((it) => {
      it.leave = () => new Promise(() => {})
    })
    world.stop('command')
    expect(await world.report()).toMatchObject({ status: 'completed' })
  })
})

describe('things that break', () => {
  test('a browser that crashes while recording ends the run with a code and keeps the recording', async () => {
    const world = await recording()
    world.emit({ type: 'failed', error: new BotError('INTERNAL_ERROR', 'The browser is gone'), at: world.clock.now() })
    const { report, exitCode } = await world.end()
    expect(report).toMatchObject({
      status: 'failed',
      error_code: 'INTERNAL_ERROR',
      error_message: 'The browser is gone',
    })
    expect(exitCode).toBe(4)
    expect(world.stored).toContain('video.mp4')
    expect(world.calls).toContain('evidence')
  })

  test('a place that takes no more does the same', async () => {
    const world = await recording()
    world.emitRecorder({ type: 'failed', lost: 'place', error: new Error('the disk is full'), at: world.clock.now() })
    const { report, exitCode } = await world.end()
    expect(report).toMatchObject({ status: 'failed', error_message: 'the disk is full' })
    expect(exitCode).toBe(4)
  })

  test('a recording that cannot be stored is never called a success', async () => {
    const world = await recording((it) => {
      it.finish = async () => ({ files: [grown('audio.m4a')], problem: new Error('access denied') })
    })
    world.stop('command')
    const { report, exitCode } = await world.end()
    expect(report).toMatchObject({ status: 'failed', error_code: 'INTERNAL_ERROR' })
    expect(report.error_message).toContain('access denied')
    expect(exitCode).toBe(4)
    expect(report.artifacts.map(({ name }) => name)).toContain('audio.m4a')
    expect(world.stored).toContain('manifest.json')
  })

  test('final files that cannot be made are never called a success', async () => {
    const world = await recording((it) => {
      it.finish = () => Promise.reject(new Error('disk full'))
    })
    world.stop('command')
    expect(await world.report()).toMatchObject({ status: 'failed', error_code: 'INTERNAL_ERROR' })
  })

  test('a defect of ours is distinguished from an external failure', async () => {
    const world = new World((it) => {
      it.openMeeting = () => Promise.reject(new TypeError('undefined is not a function'))
    })
    const { report, exitCode } = await world.end()
    expect(exitCode).toBe(70)
    expect(report.error_code).toBe('INTERNAL_ERROR')
  })

  test('an uncaught error ends the run, and the recording is stored', async () => {
    const world = await recording()
    world.throwUncaught(new TypeError('undefined is not a function'))
    const { report, exitCode } = await world.end()
    expect(exitCode).toBe(70)
    expect(report).toMatchObject({ status: 'failed', error_code: 'INTERNAL_ERROR' })
    expect(world.stored).toContain('manifest.json')
    expect(world.calls).toContain('leave')
  })

  test('storage that cannot be written fails before the bot opens the meeting', async () => {
    const world = new World((it) => {
      it.prepareStorage = () => Promise.reject(new BotError('INTERNAL_ERROR', 'The folder cannot be written'))
    })
    const { exitCode } = await world.end()
    expect(exitCode).toBe(3)
    expect(world.calls).not.toContain('open meeting')
  })
})

describe('commands', () => {
  test("are refused with the interface's code where the status does not allow them", async () => {
    const world = new World((it) => {
      it.join = untilStopped
    })
    await world.clock.advance(100)
    for (const command of [{ type: 'send_chat', message: 'hi' }, { type: 'pause' }, { type: 'resume' }] as const)
      expect(await world.command(command)).toMatchObject({ ok: false, code: 'FST_ERR_BOT_STATUS' })
    world.stop('command')
    await world.end()
  })

  test('chat that is switched off is distinguished from chat that fails', async () => {
    const world = await recording()
    world.sendChat = () => Promise.reject(new ChatUnavailable())
    expect(await world.command({ type: 'send_chat', message: 'hi' })).toMatchObject({ code: 'FST_ERR_CHAT_DISABLED' })
    world.sendChat = () => Promise.reject(new Error('not confirmed'))
    const failed = await world.command({ type: 'send_chat', message: 'hi' })
    expect(failed).toMatchObject({ code: 'FST_ERR_SEND_CHAT_MESSAGE_FAILED' })
    world.stop('command')
    await world.end()
  })

  test('pause and resume cut the pause out of every time', async () => {
    const world = await recording()
    const start = world.spans[0]!.startedAt
    await world.pass(9, 2)
    expect(await world.command({ type: 'pause', chat_message: 'Pausing' })).toMatchObject({ ok: true })
    expect(await world.command({ type: 'pause' })).toMatchObject({ code: 'FST_ERR_BOT_STATUS' })
    const pausedAt = world.clock.now()
    await world.pass(20, 2)
    expect(await world.command({ type: 'resume' })).toMatchObject({ ok: true })
    const resumedAt = world.clock.now()
    const speaking = { type: 'speaking', participantId: ann.id, source: 'csrc', confidence: 1 } as const
    world.emit({ ...speaking, isSpeaking: true, at: pausedAt - 2000 })
    world.emit({ ...speaking, isSpeaking: false, at: resumedAt + 3000 })
    await world.pass(10, 2)
    world.stop('command')
    const report = await world.report()
    expect(world.statuses()).toContain('recording_resumed')
    const lines = (await readFile(join(world.workFolder, 'diarization.jsonl'), 'utf8')).trim().split('\n')
    const firstPart = (pausedAt - start) / 1000
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { start_time: firstPart - 2, end_time: firstPart },
      { start_time: firstPart, end_time: firstPart + 3 },
    ])
    expect(report.duration_seconds).toBeCloseTo(firstPart + (world.spans[1]!.endedAt! - resumedAt) / 1000, 3)
    expect(world.sentChat).toEqual(['Pausing'])
  })

  test('a bot that continues for one that was paused is paused as soon as it records', async () => {
    const world = new World(undefined, { continues: { has_seen_others: true, is_paused: true } })
    await world.untilStatus('recording_paused')
    expect(world.statuses()).toEqual(['joining_call', 'in_call_not_recording', 'in_call_recording', 'recording_paused'])
    await world.pass(5, 1)
    expect(await world.command({ type: 'resume' })).toMatchObject({ ok: true })
    world.stop('command')
    expect((await world.report()).duration_seconds).toBeLessThan(5)
  })

  test('a bot that continues where other participants were does not wait for the first of them', async () => {
    const limits = { everyone_left_timeout: 20, no_one_joined_timeout: 600 }
    const world = new World(undefined, {
      continues: { has_seen_others: true, is_paused: false },
      timeout_config: limits,
    })
    await world.untilStatus('in_call_recording')
    await world.pass(25, 0)
    expect(await world.report()).toMatchObject({
      end_code: 'NO_ATTENDEES',
      end_message: expect.stringContaining('left'),
    })
  })

  test('a screenshot becomes a stored file', async () => {
    const world = await recording()
    expect(await world.command({ type: 'screenshot' })).toMatchObject({
      ok: true,
      data: { name: 'screenshots/0001.png' },
    })
    world.stop('command')
    await world.end()
    expect(world.stored).toContain('screenshots/0001.png')
  })

  test('a live screenshot is stored and reported before the end, and replaces the last one', async () => {
    const world = await recording()
    for (const _time of [1, 2])
      expect(await world.command({ type: 'screenshot', live: true })).toMatchObject({
        ok: true,
        data: { name: 'screenshots/live.png' },
      })
    expect(world.stored.filter((name) => name.startsWith('screenshots/'))).toEqual([
      'screenshots/live.png',
      'screenshots/live.png',
    ])
    expect(world.events.filter(({ type }) => type === 'artifact')).toMatchObject([
      { artifact: { name: 'screenshots/live.png' } },
      { artifact: { name: 'screenshots/live.png' } },
    ])
    world.stop('command')
    await world.end()
  })

  test('a live screenshot that is too large, or of a bot in the waiting room, is refused in words', async () => {
    const world = await recording((it) => {
      it.takeScreenshot = async () => new Uint8Array(9 * 1024 * 1024)
    })
    expect(await world.command({ type: 'screenshot', live: true })).toMatchObject({
      ok: false,
      code: 'COMMAND_FAILED',
      message: expect.stringContaining('too large'),
    })
    expect(world.stored).not.toContain('screenshots/live.png')
    world.stop('command')
    await world.end()
    const waiting = new World((it) => {
      it.join = async () => 'waiting_room'
      it.waitForAdmission = untilStopped
    })
    await waiting.untilStatus('in_waiting_room')
    expect(await waiting.command({ type: 'screenshot', live: true })).toMatchObject({ code: 'FST_ERR_BOT_STATUS' })
    waiting.stop('command')
    await waiting.end()
  })
})

test("the final report names the bot's job back", async () => {
  const world = await recording(undefined, { extra: { order: 17 }, bot_name: 'Notes' })
  world.stop('command')
  expect(await world.report()).toMatchObject({ extra: { order: 17 }, bot_name: 'Notes', meeting_platform: 'meet' })
})

test('a storage that the job names wrongly ends with the exit code of an invalid job, and with a report', async () => {
  const world = new World((world) => {
    world.prepareStorage = async () => {
      throw new StorageError('missing', 'There is no such bucket.')
    }
  })
  const { report, exitCode } = await world.end()
  expect(exitCode).toBe(2)
  expect(report).toMatchObject({ status: 'failed', error_message: 'There is no such bucket.' })
})

test('a storage that refuses the credentials or cannot be reached is no mistake of the job', async () => {
  for (const trouble of ['access', 'unreachable'] as const) {
    const world = new World((world) => {
      world.prepareStorage = () => Promise.reject(new StorageError(trouble, 'The server does not answer.'))
    })
    expect((await world.end()).exitCode).toBe(3)
  }
})

test('a participant that cannot be written does not affect the other files: the run is reported to its end', async () => {
  const world = new World()
  await world.untilStatus('in_call_recording')
  world.emit({ type: 'participant_joined', participant: { id: 'a', name: 'Ann' }, at: Number.NaN })
  world.emit({
    type: 'chat_message',
    message: { id: 'm', senderId: 'a', senderName: 'Ann', text: 'Hello', at: world.clock.now(), isOwn: false },
  })
  await world.pass(5, 1)
  world.stop('command')
  const { report, exitCode } = await world.end()
  expect(report).toMatchObject({ status: 'completed', participants: [{ name: 'Ann' }] })
  expect(world.events.filter(({ type }) => type === 'final_report')).toHaveLength(1)
  expect(world.statuses().at(-1)).toBe('completed')
  expect(world.stored).toContain('chat_messages.json')
  expect(world.stored).toContain('manifest.json')
  // A defect of ours is still told as one.
  expect(exitCode).toBe(70)
})
