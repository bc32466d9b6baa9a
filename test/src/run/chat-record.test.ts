import { botEventSchema } from '@standin/wire/events.ts'
import { describe, expect, test } from 'vitest'
import type { ChatContent, ChatMessage, MeetingEvent } from '../../../packages/core/meeting/meeting.ts'
import { ChatRecord } from '../../../src/run/chat-record.ts'
import { Timeline } from '../../../src/run/timeline.ts'

const START = Date.parse('2026-11-21T09:30:00.000Z')

/** A record of a meeting with Ann and Bob; everything it reports fits the wire. */
function recordOf() {
  const timeline = new Timeline(() => [{ startedAt: START, endedAt: null }])
  for (const [id, name] of [
    ['a', 'Ann'],
    ['b', 'Bob'],
  ] as const)
    timeline.onEvent({ type: 'participant_joined', participant: { id, name }, at: START })
  const record = new ChatRecord(timeline)
  const feed = (event: MeetingEvent) => {
    const report = record.record(event)
    return report && botEventSchema.parse(report)
  }
  return {
    record,
    feed,
    say: (id: string, text: string, more: Partial<ChatMessage> = {}) =>
      feed({
        type: 'chat_message',
        message: { id, senderId: 'a', senderName: 'Ann', text, at: START + 1000, isOwn: false, ...more },
      }),
    change: (messageId: string, content: ChatContent, seconds = 5) =>
      feed({ type: 'chat_message_changed', messageId, content, at: START + seconds * 1000 }),
  }
}

describe('messages', () => {
  test('are kept once, in order of time, with the number of a sender whom the roster knows', () => {
    const { record, say } = recordOf()
    expect(say('late', 'late', { at: START + 5000 })).toMatchObject({ type: 'chat_message', sender_id: 1 })
    expect(say('late', 'late', { at: START + 5000 })).toBeNull()
    say('stranger', 'who?', { senderId: 'x', at: START + 1000 })
    say('before', 'earlier', { at: START - 60_000 })
    record.takeOwn('Notes', 'mine', START + 3000)
    expect(record.messages().map(({ text, sender_id, offset }) => [text, sender_id, offset])).toEqual([
      ['earlier', 1, null],
      ['who?', null, 1],
      ['mine', null, 3],
      ['late', 1, 5],
    ])
  })

  test('have what they say beside their text, and nothing that was not said', () => {
    const { record, say } = recordOf()
    const attached = {
      links: [{ text: 'the plan', url: 'https://example.org/' }],
      files: [{ name: 'plan.pdf', url: null, bytes: 12 }],
    }
    say('plain', 'plain', { links: [], files: [], reactions: [] })
    say('rich', 'see the plan', {
      isDirect: true,
      isCut: true,
      replyTo: 'plain',
      ...attached,
      reactions: [{ emoji: '👍', count: 3, participantIds: ['b', 'x'] }],
    })
    const [plain, rich] = record.messages()
    const always = ['message_id', 'sender_name', 'sender_id', 'timestamp', 'is_own', 'offset', 'text']
    expect(Object.keys(plain!)).toEqual(always)
    expect(rich).toMatchObject({
      is_direct: true,
      is_cut: true,
      reply_to: 'plain',
      ...attached,
      reactions: [{ emoji: '👍', count: 3, user_ids: [2] }],
    })
  })

  test('that were edited keep their place, and say when', () => {
    const { record, say, change } = recordOf()
    say('1', 'teh plan')
    const edited = { text: 'the plan', is_edited: true, is_deleted: false }
    const changed = change('1', { text: 'the plan', isEdited: true })
    expect(changed).toMatchObject({ type: 'chat_message_changed', message_id: '1', ...edited })
    change('1', { text: 'the plan', isEdited: true, reactions: [{ emoji: '👍', count: 1, participantIds: [] }] }, 9)
    expect(record.messages()).toMatchObject([{ text: 'the plan', offset: 1, edited_at: '2026-11-21T09:30:05.000Z' }])
    say('2', 'edited before the bot came', { isEdited: true, at: START - 1000 })
    expect(record.messages()[0]).toMatchObject({ edited_at: null, offset: null })
  })

  test('that were deleted keep their place and no part of their text', () => {
    const { record, say, change } = recordOf()
    say('1', 'a secret', { links: [{ text: 'secret', url: 'https://secret.example/' }] })
    expect(change('1', { text: '', isDeleted: true })).toMatchObject({ is_deleted: true, text: '' })
    expect(JSON.stringify(record.messages())).not.toContain('secret')
    expect(record.messages()).toMatchObject([{ deleted_at: '2026-11-21T09:30:05.000Z', sender_name: 'Ann' }])
  })

  test('that were never reported change nothing', () => {
    expect(recordOf().change('unknown', { text: 'x' })).toBeNull()
  })

  test('of the bot are one, whichever of the page and the bot tells first, and their changes find them', () => {
    const { record, say, change } = recordOf()
    say('page-1', 'Hello\nthere', { isOwn: true, senderId: null })
    record.takeOwn('Notes', 'Hello there', START + 1000)
    record.takeOwn('Notes', 'ok', START + 2000)
    record.takeOwn('Notes', 'ok', START + 3000)
    for (const id of ['page-2', 'page-3']) say(id, 'ok', { isOwn: true, senderId: null })
    const reactions = [{ emoji: '🎉', count: 1, participantIds: ['b'] }]
    expect(change('page-3', { text: 'ok', reactions })).toMatchObject({ message_id: 'own-3' })
    expect(say('4', 'thanks', { replyTo: 'page-1' })).toMatchObject({ reply_to: 'own-1' })
    expect(record.messages().map(({ message_id, reactions }) => [message_id, reactions?.length ?? 0])).toEqual([
      ['own-1', 0],
      ['4', 0],
      ['own-2', 0],
      ['own-3', 1],
    ])
  })
})

test('reactions and hands are lines, in order of time, with who it was where that is known', () => {
  const { record, feed } = recordOf()
  const hand = { type: 'hand_raised', participantId: 'b', name: 'Bob', isRaised: true, at: START + 2000 } as const
  expect(feed(hand)).toMatchObject({ participant: { id: 2 }, offset: 2, is_raised: true })
  const thumb = { type: 'reaction', name: 'Ann', emoji: '👍' } as const
  expect(feed({ ...thumb, participantId: null, at: START + 1000 })).toMatchObject({ ...thumb, participant: null })
  expect(record.reactions()).toEqual([
    { ...thumb, user_id: null, timestamp: '2026-11-21T09:30:01.000Z', offset: 1 },
    { type: 'hand', is_raised: true, name: 'Bob', user_id: 2, timestamp: '2026-11-21T09:30:02.000Z', offset: 2 },
  ])
})

test('messages beyond the limit are reported and counted, but not kept', () => {
  const { record } = recordOf()
  const say = (number: number) =>
    record.record({
      type: 'chat_message',
      message: { id: String(number), senderId: 'a', senderName: 'Ann', text: 'x', at: START + number, isOwn: false },
    })
  for (let number = 0; number < 20_000; number++) say(number)
  expect(record.missing).toBe(0)
  expect(say(20_000)).toMatchObject({ text: 'x' })
  record.takeOwn('Notes', 'x', START)
  expect(record.messages()).toHaveLength(20_000)
  expect(record.missing).toBe(2)
})
