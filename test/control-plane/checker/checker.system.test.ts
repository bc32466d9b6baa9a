import { expect, test } from 'vitest'
import { Chaos } from './chaos.ts'
import { SHORT_FAULTS } from './faults.ts'
import { runRounds } from './rounds.ts'
import { violations } from './violations.ts'

const seed = Date.now() % 1_000_000

test('after any kill, every bot has one end, one history and its webhooks, and nothing is left over', {
  timeout: 900_000,
}, async () => {
  const chaos = await Chaos.start({ teams: 3, seed, isLong: false })
  try {
    await runRounds(chaos, { rounds: 6, botsOfARound: 10, faults: SHORT_FAULTS })
    await expect.poll(() => chaos.unsettled(), { timeout: 840_000, interval: 500 }).toEqual([])
    console.log('checker:', JSON.stringify({ seed, ...chaos.counts, webhooks: chaos.received.length }))
    expect([...chaos.ended, ...chaos.followers.ended, ...(await violations(chaos.evidence))]).toEqual([])
    const lost = await chaos.database.selectFrom('bots').select('resumes').where('resumes', '>', 0).execute()
    const joined = await chaos.database.selectFrom('bots').select('id').where('files_attempt', '=', 0).execute()
    console.log(`checker: ${lost.length} bots were lost in their meeting, ${joined.length} have joined recordings`)
    expect(lost.length).toBeGreaterThan(0)
    expect(joined.length).toBeGreaterThan(0)
    const happened = new Set(chaos.happened.map(({ name }) => name))
    expect(SHORT_FAULTS.filter(({ name }) => !happened.has(name))).toEqual([])
    expect(chaos.counts['cut links']).toBeGreaterThan(0)
  } finally {
    await chaos.close()
  }
})
