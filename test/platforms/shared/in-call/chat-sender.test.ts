import { expect, test } from 'vitest'
import { ChatSender, type ChatSteps } from '../../../../platforms/shared/in-call/chat-sender.ts'
import type { ChatState } from '../../../../platforms/shared/page/types.ts'
import type { MeetingPage } from '../../../../platforms/shared/page-access/meeting-page.ts'
import { REAL_WAITS } from '../../../../platforms/shared/waits.ts'
import { HandClock } from '../../../fakes/clock.ts'

const MINUTE = 60_000
const NOTHING: ChatState = { isPanelOpen: false, box: null, own: [] }
const OPEN: ChatState = { isPanelOpen: true, box: { isEnabled: true, value: '' }, own: [] }

function senderOf(steps: Partial<ChatSteps>, onAvailability: (isAvailable: boolean) => void = () => {}) {
  const clock = new HandClock()
  const page = { clock, waits: REAL_WAITS } as unknown as MeetingPage
  const idle = { state: async () => null, open: async () => {}, close: async () => {}, fill: async () => true }
  return { clock, sender: new ChatSender(page, { ...idle, send: async () => {}, ...steps }, onAvailability) }
}

/** A page of which the test says what pressing the button for chat shows. */
function begin(pressed: (time: number) => ChatState) {
  let state = NOTHING
  const presses: number[] = []
  const reported: boolean[] = []
  const { clock, sender } = senderOf(
    {
      state: async () => state,
      open: async () => {
        presses.push(clock.now() - startedAt)
        state = pressed(clock.now() - startedAt)
      },
      close: async () => {
        state = NOTHING
      },
    },
    (isAvailable) => reported.push(isAvailable),
  )
  const startedAt = clock.now()
  const over = new AbortController()
  return { clock, over, presses, reported, exploring: sender.explore(over.signal), state: () => state }
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
  expect([reported[0], reported.at(-1)]).toEqual([false, true])
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
  const ways: boolean[] = []
  const { clock, sender } = senderOf({
    state: async () => ({ ...OPEN, box: { isEnabled: true, value: 'Hello' } }),
    send: async (again) => void ways.push(again),
  })
  const failed = expect(sender.send('Hello')).rejects.toThrow('did not show')
  await clock.advance(MINUTE)
  await failed
  expect(ways).toEqual([false, true])
})
