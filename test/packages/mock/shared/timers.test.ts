import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { Timers } from '../../../../packages/mock/shared/timers.ts'

test('timers run in the order of their due times, even if the process stalled meanwhile', async () => {
  const order: string[] = []
  // Node keeps timers of one length together, and fires with the oldest of them all that are due.
  setTimeout(() => {}, 15)
  await sleep(8)
  const timers = new Timers(2)
  timers.after(20, () => order.push('begins'))
  timers.after(30, () => order.push('ends'))
  for (const until = performance.now() + 50; performance.now() < until; );
  await vi.waitFor(() => expect(order).toEqual(['begins', 'ends']))
})

test('a timer can clear the pending ones', async () => {
  const order: string[] = []
  const timers = new Timers(1)
  timers.after(1, () => {
    order.push('first')
    timers.clear()
  })
  timers.after(2, () => order.push('second'))
  timers.after(Number.POSITIVE_INFINITY, () => order.push('never'))
  for (const until = performance.now() + 20; performance.now() < until; );
  await sleep(30)
  expect(order).toEqual(['first'])
})
