/** Items that come one by one and are written many at a time, so that a wave of them costs few statements. */

export interface BatchOptions {
  /** Items are gathered for this long; without it: those that come in one turn of the event loop. */
  waitMs?: number
  /** Items of one write. As many are not gathered any longer. */
  maxItems: number
  /** Writes at the same time; 1 without it. */
  maxWrites?: number
  /** After a failed write its items are written one by one, so that a bad one does not fail the others. */
  isolatesFailures?: boolean
}

interface Waiting<Item, Answer> {
  item: Item
  resolve(answer: Answer): void
  reject(error: unknown): void
}

/** `write` answers for each of its items, in their order. The returned function resolves with the answer for its item. */
export function batched<Item, Answer>(
  write: (items: Item[]) => Promise<readonly Answer[]>,
  { waitMs, maxItems, maxWrites = 1, isolatesFailures = false }: BatchOptions,
): (item: Item) => Promise<Answer> {
  const waiting: Waiting<Item, Answer>[] = []
  let isPlanned = false
  let writes = 0

  function start(): void {
    isPlanned = false
    while (waiting.length > 0 && writes < maxWrites) {
      writes += 1
      void send(waiting.splice(0, maxItems)).finally(() => {
        writes -= 1
        if (waiting.length > 0) start()
      })
    }
  }

  async function send(batch: Waiting<Item, Answer>[]): Promise<void> {
    try {
      const answers = await write(batch.map(({ item }) => item))
      for (const [place, { resolve }] of batch.entries()) resolve(answers[place]!)
    } catch (error) {
      if (isolatesFailures && batch.length > 1) for (const one of batch) await send([one])
      else for (const { reject } of batch) reject(error)
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (waiting.length >= maxItems) return start()
      if (isPlanned) return
      isPlanned = true
      if (waitMs === undefined) setImmediate(start)
      else setTimeout(start, waitMs)
    })
}
