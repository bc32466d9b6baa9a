/** Text of files that people write, with editors of any system. */

/** Without a byte order mark, and with \n at the ends of lines. Throws a clause without a subject if it is not UTF-8. */
export function writtenText(bytes: Uint8Array): string {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    text = '\0'
  }
  // UTF-16 has zero bytes, or a mark that is not UTF-8.
  if (text.includes('\0')) throw new Error('is not in UTF-8: save it with that encoding')
  return text.replace(/\r\n?/g, '\n')
}
