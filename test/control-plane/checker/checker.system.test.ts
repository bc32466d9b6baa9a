import { expect, test } from 'vitest'
import { Chaos } from './chaos.ts'
import { runRounds } from './rounds.ts'
import { violations } from './violations.ts'

test('whatever is killed, every bot has one end, one history and its webhooks, and nothing is left over', {
  timeout: 300_000,
}, async () => {
  const chaos = await Chaos.start(3)
  try {
    await runRounds(chaos, { rounds: 6, botsOfARound: 10 })
    await expect.poll(() => chaos.unsettled(), { timeout: 240_000, interval: 500 }).toEqual([])
    console.log('checker:', JSON.stringify({ ...chaos.counts, webhooks: chaos.received.length }))
    expect(await violations(chaos)).toEqual([])
  } finally {
    await chaos.close()
  }
})
