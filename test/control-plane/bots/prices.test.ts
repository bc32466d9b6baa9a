import fc from 'fast-check'
import { expect, test } from 'vitest'
import { costOf, type PricedUsage, pricesSchema } from '../../../control-plane/bots/prices.ts'

const list = (prices: Record<string, unknown>) =>
  pricesSchema.parse({ currency: 'EUR', as_of: '2026-11-01', ...prices })
const NOTHING: PricedUsage = { coreMs: 0n, memoryByteMs: 0n, bytesReceived: 0n, bytesSent: 0n, bytesStored: 0n }

test('the example of docs/operating.md', () => {
  const prices = list({
    core_hour: '0.04',
    memory_gb_hour: '0.005',
    gb_received: '0',
    gb_sent: '0.08',
    gb_stored: '0.023',
  })
  const used = {
    coreMs: 3_960_000n,
    memoryByteMs: 1_200_000_000n * 3_960_000n,
    bytesReceived: 900_000_000n,
    bytesSent: 60_000_000n,
    bytesStored: 450_000_000n,
  }
  expect(costOf(prices, used)).toBe('0.065750')
})

test('each price counts its own resource in its own unit', () => {
  const one = {
    core_hour: { coreMs: 3_600_000n },
    memory_gb_hour: { memoryByteMs: 3_600_000n * 1_000_000_000n },
    gb_received: { bytesReceived: 1_000_000_000n },
    gb_sent: { bytesSent: 1_000_000_000n },
    gb_stored: { bytesStored: 1_000_000_000n },
  }
  for (const [name, used] of Object.entries(one)) {
    expect(costOf(list({ [name]: '1.25' }), { ...NOTHING, ...used })).toBe('1.250000')
    expect(costOf(list({}), { ...NOTHING, ...used })).toBe('0.000000')
  }
})

test.each([
  [1n, '0.000000'],
  [2n, '0.000001'],
  [5n, '0.000001'],
  [6n, '0.000002'],
])('%d core milliseconds at 0.9 an hour (0.25 millionths each) are rounded half up to %s', (coreMs, shown) => {
  expect(costOf(list({ core_hour: '0.9' }), { ...NOTHING, coreMs })).toBe(shown)
})

test.each([
  [{ core_hour: 0.04 }, 'core_hour', 'is no text'],
  [{ core_hour: '1e3' }, 'core_hour', 'is no price'],
  [{ core_hour: '-1' }, 'core_hour', 'is no price'],
  [{ core_hour: '0,04' }, 'core_hour', 'is no price'],
  [{ core_hour: '0.0000000001' }, 'core_hour', 'is no price'],
  [{ core_hour: '1000000' }, 'core_hour', 'is no price'],
  [{ currency: 'euro' }, 'currency', 'is no code'],
  [{ as_of: '2026-13-01' }, 'as_of', 'is no date'],
  [{ as_of: undefined }, 'as_of', 'is no date'],
  [{ core_hours: '1' }, '', 'core_hours'],
])('%j is refused', (given, path, message) => {
  const { error } = pricesSchema.safeParse({ currency: 'EUR', as_of: '2026-11-01', ...given })
  expect(error!.issues[0]!.path.join('.')).toBe(path)
  expect(error!.issues[0]!.message).toContain(message)
})

const amount = fc.bigInt({ min: 0n, max: 10n ** 15n })
const usage = fc.record({
  coreMs: amount,
  memoryByteMs: fc.bigInt({ min: 0n, max: 10n ** 24n }),
  bytesReceived: amount,
  bytesSent: amount,
  bytesStored: amount,
})
const price = fc
  .tuple(fc.nat(999_999), fc.nat(999_999_999))
  .map(([whole, part]) => `${whole}.${String(part).padStart(9, '0')}`)
const micro = (text: string) => BigInt(text.replace('.', ''))

test('for drawn prices and parts, the cost of the sum is that of the parts within their rounding', () => {
  fc.assert(
    fc.property(
      fc.record({ core_hour: price, memory_gb_hour: price, gb_received: price, gb_sent: price, gb_stored: price }),
      fc.array(usage, { minLength: 1, maxLength: 20 }),
      (given, parts) => {
        const prices = list(given)
        const sum = parts.reduce((all, part) => ({
          coreMs: all.coreMs + part.coreMs,
          memoryByteMs: all.memoryByteMs + part.memoryByteMs,
          bytesReceived: all.bytesReceived + part.bytesReceived,
          bytesSent: all.bytesSent + part.bytesSent,
          bytesStored: all.bytesStored + part.bytesStored,
        }))
        const apart = parts.reduce((all, part) => all + micro(costOf(prices, part)), 0n)
        const difference = micro(costOf(prices, sum)) - apart
        expect(2n * (difference < 0n ? -difference : difference)).toBeLessThanOrEqual(BigInt(parts.length + 1))
      },
    ),
  )
})
