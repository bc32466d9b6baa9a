/** The whole upgrade, with what it has to show. */
import { expect } from 'vitest'
import type { SimulatedBot } from '../launching/simulated-bot.ts'
import { unsettled } from './settled.ts'
import { startUpgrade } from './upgrade.ts'
import { violations } from './violations.ts'

export interface UpgradeRun {
  /** In their meetings for the whole time. */
  bots: number
  /** Between two messages in the chat of each. */
  chatEverySeconds: number
  /** Between two short bots. */
  trafficEveryMs: number
  /** Each round replaces every process with this signal. */
  rounds: NodeJS.Signals[]
}

/** From the moment at which a bot's link broke until it was welcomed again. */
const RECONNECTED_WITHIN_MS = 30_000

export async function runUpgrade({ bots, chatEverySeconds, trafficEveryMs, rounds }: UpgradeRun): Promise<void> {
  const upgrade = await startUpgrade()
  const { database, host, received, counts } = upgrade
  try {
    const ids = await upgrade.send(bots, chatEverySeconds)
    expect(ids).toHaveLength(bots)
    const residents = () => ids.flatMap((id) => host.of(id)).map(({ bot }) => bot)
    await expect.poll(() => inMeetings(), { timeout: 240_000, interval: 500 }).toBe(bots)
    const endTraffic = upgrade.traffic(trafficEveryMs)
    for (const signal of rounds) {
      const before = { webhooks: received.length, bots: counts.bots }
      const startedAt = Date.now()
      const replaced = await upgrade.replaceAll(signal)
      await expect.poll(() => residents().filter(isDown).length, { timeout: 120_000 }).toBe(0)
      const broken = residents().flatMap(({ breaks }) => breaks.filter(({ downAt }) => downAt >= startedAt))
      const waits = broken.map(({ downAt, upAt }) => upAt! - downAt).sort((a, b) => a - b)
      console.log(
        'upgrade:',
        JSON.stringify({
          signal,
          seconds: Math.round((Date.now() - startedAt) / 1000),
          replaced: replaced.length,
          slowestEnd: Number(Math.max(...replaced.map(({ seconds }) => seconds)).toFixed(2)),
          shortBots: counts.bots - before.bots,
          webhooks: received.length - before.webhooks,
          repeatedCalls: counts.repeatedCalls,
          reconnects: waits.length,
          waitMs: { first: waits[0], p50: waits[Math.floor(waits.length / 2)], last: waits.at(-1) },
        }),
      )
      // An orderly end is one by itself: nothing had to be cut off.
      if (signal === 'SIGTERM') expect(replaced.filter(({ exitCode }) => exitCode !== 0)).toEqual([])
      // Both servers of links were replaced, so every bot has lost its link.
      expect(new Set(residents().filter(({ breaks }) => breaks.some(({ downAt }) => downAt >= startedAt))).size).toBe(
        bots,
      )
      expect(waits.at(-1)).toBeLessThan(RECONNECTED_WITHIN_MS)
      // They do not come back in the same moment: the wait is 1 to 2 s, by chance.
      expect(waits.at(-1)! - waits[0]!).toBeGreaterThan(300)
      expect(counts.bots).toBeGreaterThan(before.bots)
      expect(received.length).toBeGreaterThan(before.webhooks)
    }
    await endTraffic()
    // No meeting has lost its bot, and no attempt was replaced.
    expect(await inMeetings()).toBe(bots)
    expect(ids.filter((id) => host.of(id).length !== 1)).toEqual([])
    await upgrade.leave(ids)
    await expect.poll(() => unsettled(database), { timeout: 300_000, interval: 500 }).toEqual([])
    const twice = received.length - new Set(received.map(({ id }) => id)).size
    const { length: stored } = await database.selectFrom('bots').select('id').execute()
    const { length: events } = await database.selectFrom('bot_events').select('seq').execute()
    console.log('upgrade:', JSON.stringify({ bots: stored, events, webhooks: received.length, sentTwice: twice }))
    expect(stored).toBe(counts.bots)
    expect(await violations({ database, host, received })).toEqual([])
    // After an orderly end nothing has to be sent again.
    if (rounds.every((signal) => signal === 'SIGTERM')) expect(twice).toBe(0)

    async function inMeetings(): Promise<number> {
      const rows = await database
        .selectFrom('bots')
        .select('id')
        .where('status', '=', 'in_call_recording')
        .where('id', 'in', ids)
        .execute()
      return rows.length
    }
  } finally {
    await upgrade.close()
  }
}

const isDown = ({ breaks }: SimulatedBot) => breaks.at(-1)?.upAt === null
