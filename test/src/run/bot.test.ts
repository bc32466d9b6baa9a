/** A whole run of a bot: what it does, what it writes down, and how the meeting ends it. */
import { writeFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { ChatUnavailable } from '../../../packages/core/errors.ts'
import { World } from '../../fakes/world.ts'
import { ann, ben, recording } from './recording-bot.ts'

describe('a run without failures', () => {
  test('goes through the waiting room, records, leaves when told and reports every step', async () => {
    const job = { extra: { order: 17 }, bot_name: 'Notes' }
    const world = new World({ join: async () => 'waiting_room' }, job)
    await world.untilStatus('in_call_recording')
    await world.pass(10, 1)
    expect(await world.command({ type: 'leave' })).toEqual({ ok: true })
    const { report, exitCode } = await world.end()
    const [joining, ...inCall] = ['joining_call', 'in_call_not_recording', 'in_call_recording', 'completed']
    expect(world.statuses()).toEqual([joining, 'in_waiting_room', ...inCall])
    expect(exitCode).toBe(0)
    const end = { status: 'completed', end_code: 'API_REQUEST', error_code: null, location: '/somewhere' }
    expect(report).toMatchObject({
      ...{ ...job, ...end },
      ...{ meeting_platform: 'meet', streaming: null, transcribed_seconds: null },
    })
    expect(world.stored).toEqual(['video.mp4', 'manifest.json', 'events.jsonl'])
    expect(world.events.at(-1)?.type).toBe('final_report')
  })

  test('writes the entry message after admission and lists it among the messages', async () => {
    const world = await recording({}, { entry_message: 'Hello from a bot' })
    expect(world.sentChat).toEqual(['Hello from a bot'])
    await world.command({ type: 'leave' })
    await world.end()
    expect(world.json('chat_messages.json')).toMatchObject([
      { text: 'Hello from a bot', sender_id: null, sender_name: 'Standin', is_own: true },
    ])
  })

  test('an entry message that cannot be written is reported and changes nothing else', async () => {
    const world = await recording({ sendChat: () => Promise.reject(new ChatUnavailable()) }, { entry_message: 'Hello' })
    expect(world.events).toContainEqual(expect.objectContaining({ type: 'notice', level: 'warning' }))
    world.stop('command')
    expect((await world.report()).status).toBe('completed')
  })

  test('takes the poster of the first speaker, and is complete without one', async () => {
    const end = async (takePicture: World['takePicture']) => {
      const world = await recording({ takePicture })
      const start = world.spans[0]!.startedAt
      world.speaks(ann.id, true, start + 200)
      world.speaks(ann.id, false, start + 600)
      await world.pass(10, 2)
      world.stop('command')
      expect((await world.report()).status).toBe('completed')
      return world.stored.includes('poster.jpg')
    }
    const asked: number[] = []
    const take: World['takePicture'] = async (_video, { at, target }) => {
      asked.push(at)
      await writeFile(target, 'picture')
    }
    expect([await end(take), await end(() => Promise.reject(new Error('no picture')))]).toEqual([true, false])
    expect(asked).toEqual([0.4])
  })

  test("notes who was there, who spoke and what they wrote, in the recording's own time", async () => {
    const world = await recording()
    const start = world.spans[0]!.startedAt
    world.speaks(ann.id, true, start + 2000)
    world.speaks(ann.id, false, start + 5000)
    const message = { id: 'm1', senderId: ben.id, senderName: 'Ben', text: '<b>hi</b>', at: start + 3000, isOwn: false }
    for (const _time of [1, 2]) world.emit({ type: 'chat_message', message })
    await world.pass(10, 2)
    world.stop('command')
    const report = await world.report()
    expect(report.participants.map(({ name }) => name)).toEqual(['Ann', 'Ben'])
    expect(report.speakers.map(({ name }) => name)).toEqual(['Ann'])
    expect(world.diarization()).toMatchObject([
      { speaker: 'Ann', start_time: 2, end_time: 5, user_id: 1, source: 'csrc' },
    ])
    expect(world.json('chat_messages.json')).toMatchObject([
      { message_id: 'm1', sender_id: 2, text: '<b>hi</b>', offset: 3 },
    ])
  })
})

describe('ends the meeting brings', () => {
  test.each([
    ['removed', 'BOT_REMOVED'],
    ['ended_for_all', 'BOT_REMOVED'],
    ['everyone_left', 'NO_ATTENDEES'],
    ['authorized_user_left', 'BOT_REMOVED'],
  ] as const)('%s is a normal end with code %s', async (end, code) => {
    const world = await recording({}, {}, 10)
    world.emit({ type: 'ended', end, text: 'gone' })
    expect(await world.end()).toMatchObject({ report: { status: 'completed', end_code: code }, exitCode: 0 })
  })

  test('a removal right after the start is a failure, and what was recorded is stored', async () => {
    const world = await recording()
    world.emit({ type: 'ended', end: 'removed', text: 'gone' })
    const { report, exitCode } = await world.end()
    expect(report).toMatchObject({ status: 'failed', error_code: 'BOT_REMOVED_TOO_EARLY' })
    expect(exitCode).toBe(4)
    expect(world.stored).toContain('video.mp4')
  })
})

describe('leave rules', () => {
  test('all other participants have left', async () => {
    const world = await recording()
    await world.pass(20, 0)
    expect(world.statuses()).not.toContain('completed')
    await world.pass(15, 0)
    expect(await world.report()).toMatchObject({ end_code: 'NO_ATTENDEES' })
  })

  test('no participant speaks, and no sound is captured either', async () => {
    const world = await recording({}, { timeout_config: { silence_timeout: 30 } })
    await world.pass(20, 2)
    world.emitRecorder({ type: 'sound', isAudible: true })
    await world.pass(40, 2)
    expect(world.statuses()).not.toContain('completed')
    world.emitRecorder({ type: 'sound', isAudible: false })
    await world.pass(33, 2)
    expect(await world.report()).toMatchObject({ end_code: 'NO_SPEAKER' })
  })

  test('the recording is as long as allowed, pauses not counted', async () => {
    const world = await recording({}, { timeout_config: { recording_timeout: 60 } })
    await world.pass(30, 2)
    await world.command({ type: 'pause' })
    await world.pass(100, 2)
    await world.command({ type: 'resume' })
    await world.pass(20, 2)
    expect(world.statuses()).not.toContain('completed')
    await world.pass(15, 2)
    expect(await world.report()).toMatchObject({ end_code: 'RECORDING_TIMEOUT' })
  })
})
