/**
 * Alone, in another size: CHECKER_BOTS=100 CHECKER_ROUNDS=14 CHECKER_SEED=1 vitest run --project=long
 * test/control-plane/checker/checker.long.test.ts
 */
import { expect, test } from 'vitest'
import { Chaos } from './chaos.ts'
import { mayMount } from './disk.ts'
import { DISK_FAULTS, LONG_FAULTS } from './faults.ts'
import { reportOf } from './report.ts'
import { runRounds } from './rounds.ts'
import { violations } from './violations.ts'

const { CHECKER_BOTS = 500, CHECKER_ROUNDS = 50, CHECKER_SEED = Date.now() % 1_000_000 } = process.env
const rounds = Number(CHECKER_ROUNDS)
const bots = Number(CHECKER_BOTS)
const seed = Number(CHECKER_SEED)
const faults = mayMount ? [...LONG_FAULTS, ...DISK_FAULTS] : LONG_FAULTS
const SETTLES_WITHIN_MS = 10 * 60_000

test(`${rounds} rounds with ${bots} bots and every fault leave no violation`, {
  timeout: SETTLES_WITHIN_MS + (rounds + 10) * 60_000,
}, async () => {
  const startedAt = performance.now()
  console.log(`checker: seed ${seed}`)
  const chaos = await Chaos.start({ teams: 10, seed, isLong: true })
  try {
    await runRounds(chaos, { rounds, botsOfARound: Math.ceil(bots / rounds), faults })
    await expect.poll(() => chaos.unsettled(), { timeout: SETTLES_WITHIN_MS, interval: 1_000 }).toEqual([])
    const found = [...chaos.ended, ...chaos.followers.ended, ...(await violations(chaos.evidence))]
    const seconds = (performance.now() - startedAt) / 1000
    console.log(await reportOf(chaos, { seed, seconds, found }))
    expect(found).toEqual([])
    const happened = new Set(chaos.happened.map(({ name }) => name))
    expect(faults.filter(({ name }) => !happened.has(name))).toEqual([])
  } finally {
    await chaos.close()
  }
})
