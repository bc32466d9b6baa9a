/** The words with which new bots read pages, if the operator has a file of them. */
import { readFile } from 'node:fs/promises'
import { messageOf } from '@standin/wire/text/error-text.ts'
import { parseJson } from '@standin/wire/text/json-text.ts'
import { type PageWords, wordsFrom } from '@standin/wire/words.ts'
import type { Log } from '../../platform/ports.ts'

/** Rejects with a sentence. */
export const readWords = async (file: string): Promise<PageWords> => wordsFrom(parseJson(await readFile(file, 'utf8')))

/** Reads the file for each bot, so that a change needs no restart. Null: the bot has the built-in words. */
export async function wordsForBot(file: string | null, log: Log): Promise<PageWords | null> {
  if (file === null) return null
  try {
    return await readWords(file)
  } catch (error) {
    log.warn({ file, error: messageOf(error) }, 'The file of words cannot be used; the bot has the built-in words')
    return null
  }
}
