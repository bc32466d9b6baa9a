/** Stores deliveries that reached their receivers, many in one statement when many finish at once. */
import type { Database } from '../store/database.ts'
import { type DeliveredAttempt, finishDelivered } from '../store/webhooks/deliveries.ts'

const AT_ONCE = 100
/** Statements at the same time: one is built while the other one is being committed. */
const RUNNING = 2

interface Waiting extends DeliveredAttempt {
  resolve(isOurs: boolean): void
  reject(error: unknown): void
}

export class DeliveredWriter {
  readonly #database: Database
  readonly #waiting: Waiting[] = []
  #running = 0

  constructor(database: Database) {
    this.#database = database
  }

  /** Resolves when it is stored; with false where the claim was lost. */
  store(attempt: DeliveredAttempt): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...attempt, resolve, reject })
      // Results that arrive in this turn of the event loop are stored with it.
      setImmediate(() => void this.#write())
    })
  }

  async #write(): Promise<void> {
    if (this.#running >= RUNNING) return
    this.#running += 1
    while (this.#waiting.length > 0) await this.#writeBatch(this.#waiting.splice(0, AT_ONCE))
    this.#running -= 1
  }

  async #writeBatch(batch: readonly Waiting[]): Promise<void> {
    try {
      const ours = await finishDelivered(this.#database, batch)
      for (const { delivery, resolve } of batch) resolve(ours.has(delivery.id))
    } catch (error) {
      // One that cannot be stored does not make the others fail.
      if (batch.length === 1) batch[0]!.reject(error)
      else for (const one of batch) await this.#writeBatch([one])
    }
  }
}
