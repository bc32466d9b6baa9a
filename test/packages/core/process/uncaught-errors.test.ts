import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { UncaughtErrors } from '../../../../packages/core/process/uncaught-errors.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

function open(): { source: EventEmitter; last: UncaughtErrors; exits: number[] } {
  const source = new EventEmitter()
  const exits: number[] = []
  return { source, last: new UncaughtErrors(source, (code) => exits.push(code)), exits }
}

test('an uncaught error is reported to the worker, which gets two minutes to finish', () => {
  const { source, last, exits } = open()
  const reported: unknown[] = []
  last.listen((thrown) => reported.push(thrown))
  source.emit('uncaughtException', new TypeError('first'))
  vi.advanceTimersByTime(60_000)
  source.emit('uncaughtException', new TypeError('second'))
  expect(reported.map(String)).toEqual(['TypeError: first', 'TypeError: second'])
  vi.advanceTimersByTime(59_000)
  expect(exits).toEqual([])
  vi.advanceTimersByTime(1_000)
  expect(exits).toEqual([70])
})

test('a worker that finished in time is not cut off, and later errors are ignored', () => {
  const { source, last, exits } = open()
  last.listen(() => {})
  source.emit('uncaughtException', new Error('x'))
  last.stop()
  vi.advanceTimersByTime(600_000)
  expect(exits).toEqual([])
  expect(source.eventNames()).toEqual([])
})

test('before the worker runs an uncaught error ends the process at once, and is printed', () => {
  const said = vi.spyOn(console, 'error').mockImplementation(() => {})
  const { source, exits } = open()
  const thrown = new Error('x')
  source.emit('uncaughtException', thrown)
  expect(exits).toEqual([70])
  expect(said).toHaveBeenCalledWith(thrown)
})
