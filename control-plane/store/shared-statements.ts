/** Work of several requests that are handled at the same time, done by one statement. */

interface Waiting<Item, Result> {
  item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

/** Statements of one key at the same time: one is sent while the other one is being committed. */
const RUNNING = 2

export interface SharedStatements<Item, Result> {
  /** Resolves with what the statement says of this item. `key`: only items of one key share a statement. */
  add(key: string, item: Item): Promise<Result>
}

/**
 * A statement takes what came in this turn of the event loop, or while earlier ones ran: one item, or two, four and so on up to
 * `most`, so that a connection prepares few texts. Where it fails, its items are tried one by one, and each has its own error.
 */
export function shareStatements<Item, Result>(
  send: (items: readonly Item[]) => Promise<readonly Result[]>,
  most: number,
): SharedStatements<Item, Result> {
  const queues = new Map<string, { waiting: Waiting<Item, Result>[]; running: number }>()

  async function run(key: string): Promise<void> {
    const queue = queues.get(key)
    if (queue === undefined || queue.running >= RUNNING) return
    queue.running += 1
    while (queue.waiting.length > 0) {
      const size = 2 ** Math.floor(Math.log2(Math.min(queue.waiting.length, most)))
      await sendBatch(queue.waiting.splice(0, size))
    }
    queue.running -= 1
    if (queue.running === 0) queues.delete(key)
  }

  async function sendBatch(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await send(batch.map(({ item }) => item))
      for (const [place, { resolve }] of batch.entries()) resolve(results[place]!)
    } catch (error) {
      if (batch.length === 1) batch[0]!.reject(error)
      else await Promise.all(batch.map((one) => sendBatch([one])))
    }
  }

  return {
    add(key, item) {
      const queue = queues.get(key) ?? { waiting: [], running: 0 }
      queues.set(key, queue)
      return new Promise((resolve, reject) => {
        queue.waiting.push({ item, resolve, reject })
        setImmediate(() => void run(key))
      })
    },
  }
}
