/**
 * The words pack that new bots get: the one that the program ships, until the operator's file or address has a newer one
 * with a right signature. Bots that run keep theirs.
 */
import { readFile, stat } from 'node:fs/promises'
import { messageOf } from '@standin/base/error-text.ts'
import { type Loop, startLoop } from '@standin/base/loop.ts'
import { readSigned } from '@standin/base/signed-json.ts'
import { acceptWords, MAX_PACK_BYTES, SHIPPED_WORDS, type WordsPack } from '@standin/wire/words.ts'
import type { Meters } from '../meters.ts'
import type { GuardedClient, Log } from '../ports.ts'

const FETCH_MS = 15_000

export interface WordsSettings {
  /** A file or an https:// address; null: the shipped words are used. */
  place: string | null
  /** The public key that has to have signed it; null: a file of this machine is used as it is. */
  key: string | null
  client: Pick<GuardedClient, 'request'>
  /** Version of this program. */
  program: string
}

/** Looks at the place again, and keeps the newest pack. */
export class Words {
  readonly #settings: WordsSettings
  #pack = SHIPPED_WORDS
  /** Of the file or the answer that was read last. */
  #tag: string | null = null

  constructor(settings: WordsSettings) {
    this.#settings = settings
  }

  get version(): string {
    return this.#pack.version
  }

  /** Null: the bot uses the words that it ships. */
  get forBots(): WordsPack | null {
    return this.#pack === SHIPPED_WORDS ? null : this.#pack
  }

  /** Rejects with a sentence if what it finds cannot be used; the pack in use stays. */
  async refresh(): Promise<'unchanged' | 'same' | 'new'> {
    const { key, program } = this.#settings
    const text = await this.#changedText()
    if (text === null) return 'unchanged'
    const document: unknown = JSON.parse(text)
    const pack = key === null ? ((document as { signed?: unknown }).signed ?? document) : readSigned(document, key)
    const accepted = acceptWords(pack, program, this.version)
    if (accepted.version === this.version) return 'same'
    this.#pack = accepted
    return 'new'
  }

  /** Null if nothing changed since the last look. */
  async #changedText(): Promise<string | null> {
    const { place, client } = this.#settings
    if (place === null) return null
    if (!/^https?:/.test(place)) {
      const { mtimeMs, size, ino } = await stat(place)
      if (size > MAX_PACK_BYTES) throw new Error(`It is larger than ${MAX_PACK_BYTES} bytes`)
      return this.#isNew(`${ino} ${mtimeMs} ${size}`) ? readFile(place, 'utf8') : null
    }
    const headers = { accept: 'application/json', ...(this.#tag !== null && { 'if-none-match': this.#tag }) }
    const answer = await client.request({
      url: place,
      method: 'GET',
      headers,
      timeoutMs: FETCH_MS,
      maxBytes: MAX_PACK_BYTES,
    })
    if (answer.status === 304) return null
    if (answer.status !== 200) throw new Error(`Its address answered ${answer.status}`)
    if (answer.isCut) throw new Error(`It is larger than ${MAX_PACK_BYTES} bytes`)
    this.#tag = answer.headers.etag ?? null
    return Buffer.from(answer.body).toString()
  }

  #isNew(tag: string): boolean {
    const isNew = tag !== this.#tag
    this.#tag = tag
    return isNew
  }
}

export interface WordsWatch {
  /** The words for new bots. */
  words: Words
  /** Null: all is well. */
  problem(): string | null
  /** Resolves after the first look. */
  ready: Promise<void>
  close(): Promise<void>
}

export function watchWords(
  settings: WordsSettings & { seconds: number; log: Log; meters: Pick<Meters, 'count'> },
): WordsWatch {
  const { place, seconds, log, meters } = settings
  const words = new Words(settings)
  const first = Promise.withResolvers<void>()
  let problem: string | null = null
  async function round(): Promise<number | null> {
    if (place === null) return null
    try {
      const found = await words.refresh()
      if (found === 'new') {
        log.info({ version: words.version }, 'New words pack')
        meters.count('words_packs', { result: 'accepted' })
      }
      if (found !== 'unchanged') problem = null
    } catch (error) {
      problem = `The words pack was refused, and ${words.version} stays in use: ${messageOf(error)}`
      log.warn({ version: words.version, error: messageOf(error) }, 'The words pack was refused')
      meters.count('words_packs', { result: 'refused' })
    }
    return seconds * 1000
  }
  const loop: Loop = startLoop(() => round().finally(first.resolve), {
    onError: (error) => log.error({ error: String(error) }, 'The words pack could not be looked for'),
    afterErrorMs: seconds * 1000,
  })
  return { words, problem: () => problem, ready: first.promise, close: () => loop.close() }
}
