import { eventsOf } from '@standin/control-plane/launching/reconcile/journal.ts'
import { expect, test } from 'vitest'
import { readEvent } from '../../../control-plane/bots/journaled-event.ts'

const BOT = '5b0d4f2e-7c55-4c86-9d2c-0f6a1f0c7f11'
const line = (seq: number, event: object) => ({
  type: 'event',
  seq,
  bot_id: BOT,
  at: '2026-11-25T10:00:00.000Z',
  event,
})

test('an event that fits its kind is read', () => {
  const event = line(1, { type: 'notice', level: 'info', message: 'The chat is off' })
  expect(readEvent(event)).toEqual(event)
})

test('a kind that only a newer worker knows is kept with its content', () => {
  const event = line(1, { type: 'weather', sky: 'blue' })
  expect(readEvent(event)).toEqual(event)
})

test.each([
  ['a report without content', line(1, { type: 'final_report' })],
  ['a status that does not exist', line(1, { type: 'status_change', status: 'dancing' })],
  ['a kind that is no text', line(1, { type: 7 })],
  ['a number before the first', line(0, { type: 'weather' })],
  ['no object', 'event'],
])('%s is no event', (_, content) => {
  expect(readEvent(content)).toBeNull()
})

test('a journal is read beyond an event of an unknown kind, and up to one that does not fit', () => {
  const lines = [
    line(1, { type: 'weather' }),
    line(2, { type: 'notice', level: 'info', message: 'The chat is off' }),
    line(3, { type: 'final_report' }),
    line(4, { type: 'weather' }),
  ]
  expect(eventsOf(lines.map((each) => JSON.stringify(each)).join('\n'), BOT).map(({ seq }) => seq)).toEqual([1, 2])
})
