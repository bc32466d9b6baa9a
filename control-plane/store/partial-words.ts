/**
 * Words that may still change, from the process that has the link of a bot to the processes whose API is followed. They
 * pass through PostgreSQL without being stored: the final words follow as an event, so a lost message costs nothing.
 */

import { transcriptSchema } from '@standin/wire/events.ts'
import { parseJson } from '@standin/wire/text/json-text.ts'
import { sql } from 'kysely'
import { z } from 'zod'
import type { Database } from './database.ts'
import { PARTIALS_CHANNEL } from './wake-ups.ts'

/** Between two messages of one process; of each text only the newest is sent. */
const GATHER_MS = 20
/** PostgreSQL limits a message to 8,000 bytes. */
const MAX_MESSAGE_BYTES = 7_900
/** Messages of one round; the rest of the words is dropped, newer ones follow. */
const MAX_MESSAGES = 20

const wordsSchema = z.object({
  botId: z.uuid(),
  attempt: z.int(),
  at: z.iso.datetime(),
  transcript: transcriptSchema,
})
export type PartialWords = z.infer<typeof wordsSchema>

/** Sends words to all followers; never rejects. */
export function createPartialSender(db: Database, onError: (error: unknown) => void): (words: PartialWords) => void {
  let waiting = new Map<string, PartialWords>()
  let isSending = false

  async function send(): Promise<void> {
    isSending = true
    while (waiting.size > 0) {
      const words = [...waiting.values()]
      waiting = new Map()
      try {
        for (const message of messagesOf(words))
          await sql`select pg_notify(${PARTIALS_CHANNEL}, ${message})`.execute(db)
      } catch (error) {
        onError(error)
      }
      await new Promise((resolve) => setTimeout(resolve, GATHER_MS).unref())
    }
    isSending = false
  }

  return (words) => {
    waiting.set(`${words.botId} ${words.transcript.id ?? ''}`, words)
    if (!isSending) void send()
  }
}

/** As few messages as hold all words. Words that fit into none are left out. */
function messagesOf(words: readonly PartialWords[]): string[] {
  const messages: string[][] = []
  let bytes = MAX_MESSAGE_BYTES
  for (const text of words.map((one) => JSON.stringify(one))) {
    const size = Buffer.byteLength(text) + 1
    if (size > MAX_MESSAGE_BYTES - 1) continue
    bytes += size
    if (bytes > MAX_MESSAGE_BYTES - 1) bytes = size
    if (bytes === size) messages.push([text])
    else messages.at(-1)!.push(text)
  }
  return messages.slice(0, MAX_MESSAGES).map((texts) => `[${texts.join(',')}]`)
}

/** The followers in this process. */
export class PartialFeed {
  readonly #listeners = new Map<string, Set<(words: PartialWords) => void>>()

  /** The result ends it. */
  follow(botId: string, listener: (words: PartialWords) => void): () => void {
    const ofBot = this.#listeners.get(botId) ?? new Set()
    this.#listeners.set(botId, ofBot.add(listener))
    return () => {
      ofBot.delete(listener)
      if (ofBot.size === 0 && this.#listeners.get(botId) === ofBot) this.#listeners.delete(botId)
    }
  }

  /** A message of the channel; an empty one says that some may have been lost. */
  receive(message: string): void {
    if (message === '' || this.#listeners.size === 0) return
    for (const words of wordsOf(message)) for (const listener of this.#listeners.get(words.botId) ?? []) listener(words)
  }
}

function wordsOf(message: string): PartialWords[] {
  try {
    return z.array(wordsSchema).parse(parseJson(message))
  } catch {
    // Only our own processes send here; one of another version may send something else.
    return []
  }
}
