import { expect, test } from 'vitest'
import { createEventQueue } from '../../../../platforms/shared/page/link.ts'
import type { Acknowledgement, Delivery, PageEvent } from '../../../../platforms/shared/page/types.ts'

const message = (number: number): PageEvent => ({
  type: 'chat_message',
  message: { id: String(number), senderId: null, senderName: 'Ann', text: `${number}`, at: number, isOwn: false },
})
const left: PageEvent = { type: 'participant_left', participantId: 'ann', at: 1 }

test.each([
  ['after the admission', true],
  ['before the admission', false],
])('a flood of chat %s drops chat messages only, and says how many', (_, isIn) => {
  const queue = createEventQueue()
  if (isIn) queue.begin()
  queue.emit(left)
  for (let number = 0; number < 7000; number++) queue.emit(message(number))
  if (!isIn) {
    queue.begin()
    queue.release()
  }
  const { events, dropped } = queue.deliver(null)
  expect(events[0]?.event).toEqual(left)
  expect(events.at(-1)?.event).toEqual(message(6999))
  expect(events.length + (dropped ?? 0)).toBe(7001)
})

test('a driver that asks in time misses nothing', () => {
  const queue = createEventQueue()
  queue.begin()
  let acknowledged: Acknowledgement | null = null
  let received = 0
  for (let number = 1; number <= 10_000; number++) {
    queue.emit(message(number))
    if (number % 2500 !== 0) continue
    const { events, dropped, document }: Delivery = queue.deliver(acknowledged)
    acknowledged = { document, number: events.at(-1)!.number }
    received += events.length
    expect(dropped).toBe(0)
  }
  expect(received).toBe(10_000)
})

test('messages that the page lost before they were read are counted with those that were dropped', () => {
  const queue = createEventQueue()
  queue.begin()
  queue.miss(3)
  expect(queue.deliver(null).dropped).toBe(3)
})
