import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { StopRequests } from '../../../core/process/stop-requests.ts'

function heard(): { stops: StopRequests; source: EventEmitter; wishes: unknown[][] } {
  const stops = new StopRequests()
  const source = new EventEmitter()
  const wishes: unknown[][] = []
  stops.listenToSignals(source)
  stops.listen((...wish) => wishes.push(wish))
  return { stops, source, wishes }
}

test('a second interrupt means at once', () => {
  const { stops, wishes } = heard()
  stops.interrupt(1000)
  stops.interrupt(5000)
  expect(wishes).toEqual([
    ['interrupt', false],
    ['interrupt', true],
  ])
})

test('an interrupt that comes twice from one key press is one wish', () => {
  const { stops, wishes } = heard()
  stops.interrupt(1000)
  stops.interrupt(1050)
  expect(wishes).toEqual([['interrupt', false]])
})

test('a terminal that is closed is one interrupt, although npm sends the signal once more', () => {
  const { source, wishes } = heard()
  source.emit('SIGHUP')
  source.emit('SIGHUP')
  expect(wishes).toEqual([['interrupt', false]])
})

test('a signal that comes before the worker listens is kept for it', () => {
  const stops = new StopRequests()
  const source = new EventEmitter()
  stops.listenToSignals(source)
  source.emit('SIGTERM')
  const wishes: unknown[][] = []
  stops.listen((...wish) => wishes.push(wish))
  expect(wishes).toEqual([['terminate', false]])
})

test('work before the worker listens is stopped by the signal', () => {
  const stops = new StopRequests()
  const source = new EventEmitter()
  stops.listenToSignals(source)
  expect(stops.signal.aborted).toBe(false)
  source.emit('SIGTERM')
  expect(stops.signal.aborted).toBe(true)
})
