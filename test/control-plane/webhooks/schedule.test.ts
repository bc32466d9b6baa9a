import { describe, expect, test } from 'vitest'
import { type Attempted, DEFAULT_DELAYS, nextDelay, timeLimitMs } from '../../../control-plane/webhooks/schedule.ts'

const NOW = Date.parse('2026-01-01T00:00:00Z')
const newer: Attempted = {
  kind: 'team',
  event: 'bot.completed',
  attempts: 0,
  status: 500,
  isTimeout: false,
  retryAfter: undefined,
}
const delay = (changes: Partial<Attempted> = {}, random = 0.5) =>
  nextDelay({ ...newer, ...changes }, DEFAULT_DELAYS, random, NOW)
const all = (changes: Partial<Attempted>) => Array.from({ length: 8 }, (_, attempts) => delay({ ...changes, attempts }))

describe('delays in seconds', () => {
  test('of newer webhooks', () => {
    expect(all({})).toEqual([5, 10, 300, 900, 1800, 7200, null, null])
    expect([delay({}, 0), delay({}, 1)]).toEqual([4, 6])
  })

  test.each(['account', 'bot'] as const)('of the older generation, kind %s', (kind) => {
    expect(all({ kind, event: 'complete' })).toEqual([5, 10, 300, 900, 1800, 7200, null, null])
    expect(all({ kind, event: 'bot.status_change' })).toEqual([1, 5, 15, null, null, null, null, null])
  })

  test('of callbacks: only after 5xx, timeouts and broken connections', () => {
    expect(all({ kind: 'callback' })).toEqual([1, 5, 15, null, null, null, null, null])
    expect(delay({ kind: 'callback', status: null })).toBe(1)
    expect(delay({ kind: 'callback', status: null, isTimeout: true })).toBe(1)
    for (const status of [301, 400, 429]) expect(delay({ kind: 'callback', status })).toBeNull()
  })

  test('are a minute at least after 429 and after a timeout', () => {
    expect(delay({ status: 429 })).toBe(60)
    expect(delay({ status: null, isTimeout: true })).toBe(60)
    expect(delay({ status: null })).toBe(5)
    expect(delay({ status: 429, attempts: 2 })).toBe(300)
  })

  test.each([
    ['120', 120],
    ['1', 5],
    ['100000', 3600],
    ['Thu, 01 Jan 2026 00:02:00 GMT', 120],
    ['Thu, 01 Jan 2025 00:02:00 GMT', 5],
    ['soon', 5],
    ['-5', 5],
  ])('follow retry-after %s', (retryAfter, expected) => {
    expect(delay({ retryAfter })).toBe(expected)
  })
})

test.each([
  ['team', 'bot.status_change', 30_000],
  ['callback', 'bot.completed', 30_000],
  ['account', 'complete', 10_000],
  ['bot', 'bot.status_change', 5_000],
] as const)('an attempt of %s with %s may take %d ms', (kind, event, limit) => {
  expect(timeLimitMs({ kind, event })).toBe(limit)
})
