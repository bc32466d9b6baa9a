/** Bounds the cost of one reading of a calendar, however its provider behaves. */
import { setImmediate } from 'node:timers/promises'
import { ProviderError } from '../../platform/ports.ts'
import type { ProviderResponse } from './transport.ts'

const MAX_PAGES = 200
const MAX_ITEMS = 20_000
const MAX_BYTES = 128 * 1024 * 1024
const MAX_MS = 10 * 60_000

export class PageBounds {
  private pages = 0
  private items = 0
  private bytes = 0
  private readonly seen = new Set<string>()
  private readonly provider: string
  private readonly what: string
  private readonly usesCursor: boolean
  private readonly startedAt = performance.now()

  /** Changes since a cursor that are too much are answered by reading everything, which the window bounds. */
  constructor(provider: string, what: string, usesCursor = false) {
    this.provider = provider
    this.what = what
    this.usesCursor = usesCursor
  }

  /** Throws when another page would be too much. `next` names the next page; a repeated one is an endless chain. */
  count(response: ProviderResponse, items: number, next: string | null): void {
    this.pages++
    this.items += items
    this.bytes += response.bytes
    if (next !== null && this.seen.has(next)) this.fail('names a page that it sent before as the next one')
    if (next !== null) this.seen.add(next)
    if (next !== null && this.pages >= MAX_PAGES) this.fail(`has more than ${MAX_PAGES} pages`)
    if (this.items > MAX_ITEMS) this.fail(`has more than ${MAX_ITEMS} entries`)
    if (performance.now() - this.startedAt > MAX_MS) this.fail(`takes longer than ${MAX_MS / 60_000} minutes`)
    if (this.bytes > MAX_BYTES) this.fail(`is longer than ${MAX_BYTES / 1024 / 1024} MiB`)
  }

  private fail(reason: string): never {
    const kind = this.usesCursor ? 'cursor_gone' : 'unavailable'
    throw new ProviderError(kind, `${this.provider}'s answer to ${this.what} ${reason}`)
  }
}

/** How many items are read before other work has its turn: an event with a long description takes a millisecond. */
const ITEMS_IN_A_ROW = 20

/** Reads each item, without blocking the process for long. */
export async function eachInTurn<T, R>(items: readonly T[], read: (item: T) => R): Promise<R[]> {
  const results: R[] = []
  for (const item of items) {
    if (results.length % ITEMS_IN_A_ROW === ITEMS_IN_A_ROW - 1) await setImmediate()
    results.push(read(item))
  }
  return results
}

/** The work for each item, a few at a time: providers bound what one mailbox may ask at once. */
export async function eachOf<T, R>(items: readonly T[], atOnce: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = new Array(items.length)
  let next = 0
  const worker = async () => {
    while (next < items.length) {
      const index = next++
      try {
        results[index] = await work(items[index]!)
      } catch (error) {
        // The others finish their current item, and start no further one.
        next = items.length
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker))
  return results
}
