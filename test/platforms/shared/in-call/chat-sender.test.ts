import { expect, test } from 'vitest'
import { ChatSender } from '../../../../platforms/shared/in-call/chat-sender.ts'
import type { ChatState } from '../../../../platforms/shared/page/types.ts'
import type { MeetingPage } from '../../../../platforms/shared/page-access/meeting-page.ts'
import { REAL_WAITS } from '../../../../platforms/shared/waits.ts'
import { HandClock } from '../../../fakes/clock.ts'

const MINUTE = 60_000
const NOTHING: ChatState = { isPanelOpen: false, box: null, own: [] }
const OPEN: ChatState = { isPanelOpen: true, box: { isEnabled: true, value: '' }, own: [] }

/** A page of which the test says what it shows, and what pressing the button for chat does. */
function begin(pressed: (time: number) => ChatState) {
  const clock = new HandClock()
  const startedAt = clock.now()
  const over = new AbortController()
  let state = NOTHING
  const presses: number[] = []
  const reported: boolean[] = []
  const page = { clock, waits: REAL_WAITS } as unknown as MeetingPage
  const dispatcher = new ChatSender(
    page,
    {
      state: async () => state,
      open: async () => {
        presses.push(clock.now() - startedAt)
        state = pressed(clock.now() - startedAt)
      },
      close: async () => {
        state = NOTHING
      },
      fill: async () => true,
      send: async () => {},
    },
    (isAvailable) => reported.push(isAvailable),
  )
  return { clock, over, presses, reported, exploring: dispatcher.explore(over.signal), state: () => state }
}

test('a panel that opens is closed again, and not opened a second time', async () => {
  const { clock, presses, reported, exploring, state } = begin(() => OPEN)
  await clock.advance(10 * MINUTE)
  await exploring
  expect(presses).toHaveLength(1)
  expect(reported).toEqual([true])
  expect(state()).toBe(NOTHING)
})

test('a page too busy to open it is asked again later', async () => {
  const busyMs = 20_000
  const { clock, presses, reported, exploring } = begin((time) => (time < busyMs ? NOTHING : OPEN))
  await clock.advance(10 * MINUTE)
  await exploring
  expect(presses.at(-1)).toBeGreaterThanOrEqual(busyMs)
  expect(reported.at(0)).toBe(false)
  expect(reported.at(-1)).toBe(true)
})

test('a page that fails is asked again too, and its last error is thrown', async () => {
  const { clock, presses, exploring } = begin(() => {
    throw new Error('no such button')
  })
  const failed = expect(exploring).rejects.toThrow('no such button')
  await clock.advance(10 * MINUTE)
  await failed
  expect(presses.length).toBeGreaterThan(2)
})

test('without any chat it ends, and at once where the page says that chat is off', async () => {
  const none = begin(() => NOTHING)
  await none.clock.advance(10 * MINUTE)
  await none.exploring
  expect(none.reported.at(-1)).toBe(false)

  const off = begin(() => ({ ...NOTHING, isPanelOpen: true, isOff: true }))
  await off.clock.advance(MINUTE)
  await off.exploring
  expect(off.presses).toHaveLength(1)
})

test('ends with the meeting', async () => {
  const { clock, over, presses, exploring } = begin(() => NOTHING)
  const ended = expect(exploring).rejects.toThrow()
  await clock.advance(7000)
  const count = presses.length
  over.abort()
  await ended
  await clock.advance(10 * MINUTE)
  expect(presses).toHaveLength(count)
})

test('a message that the page does not show is sent by the second way once, and then it has failed', async () => {
  const clock = new HandClock()
  const ways: boolean[] = []
  const typed: ChatState = { isPanelOpen: true, box: { isEnabled: true, value: 'Hello' }, own: [] }
  const page = { clock, waits: REAL_WAITS } as unknown as MeetingPage
  const steps = {
    state: async () => typed,
    open: async () => {},
    close: async () => {},
    fill: async () => true,
    send: async (again: boolean) => {
      ways.push(again)
    },
  }
  const failed = expect(new ChatSender(page, steps, () => {}).send('Hello')).rejects.toThrow('did not show')
  await clock.advance(MINUTE)
  await failed
  expect(ways).toEqual([false, true])
})
