/** A whole run of a bot: what it does, what it writes down, and how the meeting ends it. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { BotError, ChatUnavailable } from '../../../core/errors.ts'
import { World } from '../../fakes/world.ts'
import { ann, ben, recording } from './recording-bot.ts'

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

test("the final report names the bot's job back", async () => {
  const world = await recording(undefined, { extra: { order: 17 }, bot_name: 'Notes' })
  world.stop('command')
  expect(await world.report()).toMatchObject({ extra: { order: 17 }, bot_name: 'Notes', meeting_platform: 'meet' })
})
