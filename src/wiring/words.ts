/** Which words this process reads pages with: those of its job, those that its setting names, or the shipped ones. */
import { readFileSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '@standin/base/error-text.ts'
import { readSigned } from '@standin/base/signed-json.ts'
import { acceptWords, MAX_PACK_BYTES, SHIPPED_WORDS, type WordsPack } from '@standin/wire/words.ts'
import type { Logger } from '../../core/logger.ts'
import { fetchPublic } from '../../core/network/safe-fetch.ts'
import { packageRoot } from '../../core/process/page-scripts.ts'
import { useWords } from '../../platforms/index.ts'
import type { WordsSource } from '../job/config.ts'

const FETCH_MS = 15_000

export const programVersion = (): string =>
  (JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string }).version

/**
 * Puts the words into use and resolves with their version. With a pack that cannot be used the bot runs with the words
 * that the program ships; `onRefused` gets the sentence.
 */
export async function openWords(
  given: unknown,
  source: WordsSource | null,
  logger: Logger,
  onRefused: (sentence: string) => void,
): Promise<string> {
  try {
    return (await chooseWords(given, source)).version
  } catch (error) {
    const { version } = await chooseWords(null, null)
    logger.warn('The words pack was refused', { error })
    onRefused(`The words pack was refused; the bot uses ${version}, which the program ships: ${messageOf(error)}`)
    return version
  }
}

/** Puts the words into use. Rejects with a sentence if they cannot be used. */
export async function chooseWords(given: unknown, source: WordsSource | null): Promise<WordsPack> {
  // A job comes from the service, which checked the signature.
  const pack = given ? accepted(given) : source ? await readWords(source) : SHIPPED_WORDS
  useWords(pack)
  return pack
}

const accepted = (document: unknown) => acceptWords(document, programVersion(), SHIPPED_WORDS.version)

/** Rejects with a sentence. */
export async function readWords({ place, key }: WordsSource): Promise<WordsPack> {
  const document: unknown = JSON.parse(await textAt(place))
  if (key !== null) return accepted(readSigned(document, key))
  return accepted((document as { signed?: unknown }).signed ?? document)
}

async function textAt(place: string): Promise<string> {
  if (/^https?:/.test(place)) {
    const limits = { maxBytes: MAX_PACK_BYTES, timeoutMs: FETCH_MS, accept: 'application/json' }
    return Buffer.from(await fetchPublic(place, limits)).toString()
  }
  if ((await stat(place)).size > MAX_PACK_BYTES) throw new Error(`It is larger than ${MAX_PACK_BYTES} bytes`)
  return readFile(place, 'utf8')
}
