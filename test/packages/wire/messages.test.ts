import { downMessageSchema, upMessageSchema } from '@standin/wire/control-link.ts'
import { botEventSchema, numberedEventSchema } from '@standin/wire/events.ts'
import { problemsOf } from '@standin/wire/job.ts'
import { expect, test } from 'vitest'

const BOT_ID = '7c9e6679-7425-40de-944b-e07fc1f90ae7'
const AT = '2026-11-21T04:00:00.000Z'

function downPaths(message: unknown): string[] {
  const result = downMessageSchema.safeParse(message)
  return result.success ? [] : problemsOf(result.error).map(({ path }) => path)
}

const command = (content: unknown, id: unknown = 'a') => ({ type: 'command', id, command: content })

test.each([
  [{ type: 'welcome', acknowledged: 0 }],
  [{ type: 'ack', seq: 1 }],
  [command({ type: 'leave' })],
  [command({ type: 'leave' }, 'x'.repeat(200))],
  [command({ type: 'send_chat', message: 'x'.repeat(500) })],
  [command({ type: 'pause' })],
  [command({ type: 'pause', chat_message: null })],
  [command({ type: 'resume', chat_message: 'On we go' })],
  [command({ type: 'screenshot' })],
  [command({ type: 'screenshot', live: true })],
])('%j is taken', (message) => {
  expect(downPaths(message)).toEqual([])
})

test.each([
  [{ type: 'welcome', acknowledged: -1 }, ['acknowledged']],
  [{ type: 'welcome', acknowledged: 1.5 }, ['acknowledged']],
  [{ type: 'welcome' }, ['acknowledged']],
  [{ type: 'ack', seq: 0 }, ['seq']],
  [{ type: 'ack', seq: 2 ** 53 }, ['seq']],
  [{ type: 'ack', seq: 1, note: 'x' }, ['note']],
  [command({ type: 'leave' }, ''), ['id']],
  [command({ type: 'leave' }, 'x'.repeat(201)), ['id']],
  [command({ type: 'leave' }, 5), ['id']],
  [command({ type: 'leave', now: true }), ['command.now']],
  [command({ type: 'send_chat' }), ['command.message']],
  [command({ type: 'send_chat', message: '' }), ['command.message']],
  [command({ type: 'send_chat', message: 'x'.repeat(501) }), ['command.message']],
  [command({ type: 'send_chat', message: 'a\u001b[2Jb' }), ['command.message']],
  [command({ type: 'pause', chat_message: ' ' }), ['command.chat_message']],
  [command({ type: 'restart' }), ['command.type']],
  [command('leave'), ['command']],
  [{ type: 'hello' }, ['type']],
  [[], ['']],
])('%j is refused at the place of the mistake', (message, paths) => {
  expect(downPaths(message)).toEqual(paths)
})

test('numbered events count from 1 and carry an id, an instant and one event', () => {
  const event = {
    type: 'event',
    seq: 1,
    bot_id: BOT_ID,
    at: AT,
    event: { type: 'chat_availability', is_available: true },
  }
  expect(upMessageSchema.parse(event)).toEqual(event)
  for (const wrong of [{ seq: 0 }, { seq: 1.5 }, { bot_id: 'x' }, { at: 'yesterday' }, { event: {} }, { more: 1 }])
    expect(numberedEventSchema.safeParse({ ...event, ...wrong }).success, JSON.stringify(wrong)).toBe(false)
})

test.each([
  { type: 'status_change', status: 'queued' },
  { type: 'status_change', status: 'failed', error_code: 'BOT_REMOVED' },
  { type: 'participant_joined', participant: { id: 0, name: 'Ana', platform_id: 'x' }, offset: 0 },
  { type: 'participant_left', participant: { id: 1, name: 'Ana', platform_id: 'x' }, offset: -1 },
  { type: 'speaker', participant: null, is_speaking: true, timestamp: 1, offset: 0, source: 'page', confidence: 1 },
  { type: 'recording_progress', seconds: 1, bytes: -1, dropped_frames: 0 },
  { type: 'notice', level: 'error', message: 'x' },
  { type: 'artifact', artifact: { name: 'video.mp4' } },
  { type: 'final_report', status: 'completed' },
])('the event %j is refused', (event) => {
  expect(botEventSchema.safeParse(event).success).toBe(false)
})

test('names and texts of people are carried as they are', () => {
  const name = '<script>alert(1)</script> ../../etc \u202e ☃ \u0000'
  const participant = { id: 1, name, platform_id: name }
  const event = { type: 'participant_joined', participant, offset: null }
  expect(botEventSchema.parse(JSON.parse(JSON.stringify(event)))).toEqual(event)
})
