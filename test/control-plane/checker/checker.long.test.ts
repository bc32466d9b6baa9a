import { expect, test } from 'vitest'
import { Chaos } from './chaos.ts'
import { runRounds } from './rounds.ts'
import { violations } from './violations.ts'

test('fifty rounds with 500 bots leave no violation', { timeout: 30 * 60_000 }, async () => {
  const chaos = await Chaos.start(10)
  try {
    await runRounds(chaos, { rounds: 50, botsOfARound: 10 })
    await expect.poll(() => chaos.unsettled(), { timeout: 300_000, interval: 1_000 }).toEqual([])
    console.log('checker:', JSON.stringify({ ...chaos.counts, webhooks: chaos.received.length }))
    expect(await violations(chaos)).toEqual([])
  } finally {
    await chaos.close()
  }
})
