/** Which words this process reads pages with: those of its job, those of the file in its setting, or the built-in ones. */
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '@standin/wire/text/error-text.ts'
import { parseJson } from '@standin/wire/text/json-text.ts'
import { type PageWords, SHIPPED_WORDS, wordsFrom } from '@standin/wire/words.ts'
import type { Logger } from '../../packages/core/logger.ts'
import { packageRoot } from '../../packages/core/process/page-scripts.ts'
import { useWords } from '../../platforms/index.ts'

export const programVersion = (): string =>
  (JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string }).version

/**
 * Puts the words into use and resolves with their version. With words that cannot be used the bot runs with the built-in
 * ones; `onRefused` gets the sentence.
 */
export async function openWords(
  given: unknown,
  file: string | null,
  logger: Logger,
  onRefused: (sentence: string) => void,
): Promise<string> {
  try {
    return (await chooseWords(given, file)).version
  } catch (error) {
    logger.warn('The words cannot be used', { error })
    onRefused(`The words cannot be used; the bot has the built-in ones: ${messageOf(error)}`)
    return (await chooseWords(null, null)).version
  }
}

/** Puts the words into use. Rejects with a sentence if they cannot be used. */
export async function chooseWords(given: unknown, file: string | null): Promise<PageWords> {
  const words = given ? wordsFrom(given) : file ? wordsFrom(parseJson(await readFile(file, 'utf8'))) : SHIPPED_WORDS
  useWords(words)
  return words
}
