import { expect, test } from 'vitest'
import { Outlet } from '../../../src/streaming/outlet.ts'

/** A socket whose receiver takes nothing while it is stalled. */
class FakeSocket {
  isOpen = true
  isStalled = false
  backlog = 0
  readonly sent: Uint8Array[] = []

  send(data: string | Uint8Array): boolean {
    if (!this.isOpen) return false
    this.sent.push(data as Uint8Array)
    if (this.isStalled) this.backlog += data.length
    return true
  }

  recover(): void {
    this.isStalled = false
    this.backlog = 0
  }
}

const message = (number: number) => Uint8Array.of(number, 0, 0, 0)

test('what the receiver takes leaves at once and in order', () => {
  const socket = new FakeSocket()
  const outlet = new Outlet(socket)
  for (let number = 0; number < 30; number++) outlet.push(message(number))
  expect(socket.sent.map(([number]) => number)).toEqual(Array.from({ length: 30 }, (_, index) => index))
  expect(outlet.figures).toEqual({ sentSeconds: 3, droppedSeconds: 0 })
})

test('a slow receiver costs a bounded queue, and the oldest sound is dropped and counted', () => {
  const socket = new FakeSocket()
  socket.isStalled = true
  const outlet = new Outlet(socket)
  for (let number = 0; number < 200; number++) outlet.push(message(number))
  expect(socket.sent).toHaveLength(5)
  socket.recover()
  outlet.push(message(200))
  expect(socket.sent).toHaveLength(26)
  expect(socket.sent.slice(5, 7).map(([number]) => number)).toEqual([180, 181])
  expect(socket.sent.at(-1)?.[0]).toBe(200)
  expect(outlet.figures).toEqual({ sentSeconds: 2.6, droppedSeconds: 17.5 })
})

test('a receiver that comes back hears what is said now', () => {
  const socket = new FakeSocket()
  socket.isOpen = false
  const outlet = new Outlet(socket)
  for (let number = 0; number < 10; number++) outlet.push(message(number))
  socket.isOpen = true
  outlet.push(message(10))
  expect(socket.sent.map(([number]) => number)).toEqual([10])
  expect(outlet.figures.droppedSeconds).toBe(1)
})
