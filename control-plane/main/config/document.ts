/** A setting that is a JSON document, or the absolute path of a file with one. */
import { readFileSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { parseJson } from '@standin/wire/text/json-text.ts'

const MAX_BYTES = 1024 * 1024

/** Throws a message that follows the name of the setting and does not quote the document. */
export function documentOf(text: string): unknown {
  return jsonOf(isAbsolute(text) ? readText(text) : text)
}

function readText(path: string): string {
  try {
    const text = readFileSync(path, 'utf8')
    if (text.length <= MAX_BYTES) return text
  } catch (error) {
    throw new Error(`names a file that cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
  throw new Error('names a file of more than 1 MiB')
}

function jsonOf(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    throw new Error('is neither JSON nor an absolute path')
  }
}
