/** JSON as the bot writes it, and the lines of JSON lines as it reads them. */

/**
 * Like JSON.stringify, but with U+2028 and U+2029 escaped. They are legal in JSON, yet many readers of JSON lines,
 * `node:readline` among them, end a line there.
 */
export function jsonText(value: unknown, indent?: number): string {
  return escapeLineSeparators(JSON.stringify(value, null, indent))
}

/** Parses JSON; a byte order mark before it, which editors on Windows write, does not count. Throws as JSON.parse does. */
export function parseJson(text: string): unknown {
  return JSON.parse(text.replace(/^\uFEFF/, ''))
}

/** The same of what another party sends: null for what is no JSON. */
export function jsonOrNull(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return null
  }
}

/** For JSON that is text already: outside of its strings these characters cannot occur. */
export function escapeLineSeparators(json: string): string {
  return json.replace(/[\u2028\u2029]/g, (separator) => (separator === '\u2028' ? '\\u2028' : '\\u2029'))
}

/** Lines of a stream of text. Only a line feed ends a line. The last line needs none. */
export async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of chunks) {
    const lines = `${rest}${chunk}`.split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}
