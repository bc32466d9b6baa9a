/** Commands to a bot that runs. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { ChatUnavailable } from '../../../core/errors.ts'
import { untilStopped, World } from '../../fakes/world.ts'
import { ann, recording } from './recording-bot.ts'

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
