import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { StopRequests } from '../../../../packages/core/process/stop-requests.ts'

function open() {
  const [stops, source, wishes] = [new StopRequests(), new EventEmitter(), [] as unknown[][]]
  stops.listenToSignals(source)
  return { stops, source, wishes, listen: () => stops.listen((...wish) => wishes.push(wish)) }
}

const ONCE = [['interrupt', false]]

test.each<[string, string[], number[], unknown[][]]>([
  ['a second interrupt means at once', [], [1000, 5000], [...ONCE, ['interrupt', true]]],
  ['an interrupt that comes twice from one key press is one wish', [], [1000, 1050], ONCE],
  ['a closed terminal is one interrupt, although npm sends it again', ['SIGHUP', 'SIGHUP'], [], ONCE],
])('%s', (_name, signals, interruptsAt, expected) => {
  const { stops, source, wishes, listen } = open()
  listen()
  for (const signal of signals) source.emit(signal)
  for (const at of interruptsAt) stops.interrupt(at)
  expect(wishes).toEqual(expected)
})

test('a signal that comes before the worker listens stops its work, and is kept for it', () => {
  const { stops, source, wishes, listen } = open()
  expect(stops.signal.aborted).toBe(false)
  source.emit('SIGTERM')
  expect(stops.signal.aborted).toBe(true)
  listen()
  expect(wishes).toEqual([['terminate', false]])
})
