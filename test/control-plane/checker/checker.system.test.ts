import { expect, test } from 'vitest'
import { Chaos } from './chaos.ts'
import { runRounds } from './rounds.ts'
import { violations } from './violations.ts'

const BREAKAGES = [
  'kills of launcher',
  'kills of links',
  'kills of dispatcher',
  'kills of the database',
  'frozen launchers',
  'cut links',
]

test('whatever is killed, every bot has one end, one history and its webhooks, and nothing is left over', {
  timeout: 900_000,
}, async () => {
  const chaos = await Chaos.start(3)
  try {
    await runRounds(chaos, { rounds: 6, botsOfARound: 10 })
    await expect.poll(() => chaos.unsettled(), { timeout: 840_000, interval: 500 }).toEqual([])
    console.log('checker:', JSON.stringify({ ...chaos.counts, webhooks: chaos.received.length }))
    expect(await violations(chaos)).toEqual([])
    expect(chaos.counts).toMatchObject(Object.fromEntries(BREAKAGES.map((name) => [name, expect.any(Number)])))
    expect(chaos.counts['cut links']).toBeGreaterThan(0)
  } finally {
    await chaos.close()
  }
})
