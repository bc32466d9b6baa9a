/** Stores that attempts were started, many in one transaction when many are. */

import { launched } from '../../bots/launch.ts'
import { batched } from '../../platform/batcher.ts'
import type { Launcher, LaunchHandle } from '../../platform/ports.ts'
import { lockBots } from '../../store/bots/bots.ts'
import { applyChanges, applyStarted } from '../../store/bots/changes.ts'
import type { ClaimedBot } from '../../store/bots/claims.ts'
import { nowOf } from '../../store/clock.ts'
import type { Database } from '../../store/database.ts'
import { launchesStarted } from '../../store/launches/launches.ts'

export interface Started {
  botId: string
  attempt: number
  handle: LaunchHandle
  /** As it was claimed, with the database's time now. Where it is as it was, its row need not be read again. */
  claimed?: { bot: ClaimedBot; now: Date }
}

/** Phases of a bot whose last attempt is the one that was started. */
const HAS_PROCESS = new Set(['launching', 'starting', 'running', 'ending', 'processing'])
const MAX_BATCH = 100

export class LaunchWriter {
  readonly #database: Database
  readonly #kind: Launcher['kind']
  /** Resolves when it is stored; with false if the bot does not want this attempt any more. */
  readonly store: (started: Started) => Promise<boolean>

  constructor(database: Database, launcher: Pick<Launcher, 'kind'>) {
    this.#database = database
    this.#kind = launcher.kind
    const write = async (batch: readonly Started[]) => {
      const wanted = await this.#writeBatch(batch)
      return batch.map(({ botId }) => wanted.has(botId))
    }
    this.store = batched(write, { maxItems: MAX_BATCH })
  }

  async #writeBatch(batch: readonly Started[]): Promise<Set<string>> {
    const claimed = batch.flatMap(({ claimed, handle }) =>
      claimed ? [{ bot: claimed.bot, change: launched(claimed.bot, this.#kind, claimed.now), handle }] : [],
    )
    const stored = claimed.length === 0 ? new Set<string>() : await applyStarted(this.#database, claimed)
    const others = batch.filter(({ botId }) => !stored.has(botId))
    return others.length === 0 ? stored : stored.union(await this.#writeChanged(others))
  }

  /** Bots of which more is known than that they were claimed. */
  #writeChanged(batch: readonly Started[]): Promise<Set<string>> {
    return this.#database.transaction().execute(async (tx) => {
      const attempts = new Map(batch.map(({ botId, attempt }) => [botId, attempt]))
      const bots = await lockBots(tx, [...attempts.keys()])
      await launchesStarted(tx, batch)
      const wanted = bots.filter((bot) => bot.attempt === attempts.get(bot.id) && HAS_PROCESS.has(bot.phase))
      const now = await nowOf(tx)
      await applyChanges(
        tx,
        wanted.map((bot) => ({ bot, change: launched(bot, this.#kind, now) })),
      )
      return new Set(wanted.map(({ id }) => id))
    })
  }
}
