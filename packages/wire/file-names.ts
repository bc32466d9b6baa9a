/** Names and keys of stored files: plain paths below a folder, such as `screenshots/0001.png`. */

const MAX_PART_BYTES = 255
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const FORBIDDEN = /[\u0000-\u001f\u007f-\u009f\\]/
const encoder = new TextEncoder()
const bytesOf = (text: string) => encoder.encode(text).length

/** The parts of the path; null for anything that could lead out of the folder, or that no file system takes. */
export function pathParts(path: string, maxBytes: number): string[] | null {
  if (path === '' || bytesOf(path) > maxBytes || !path.isWellFormed() || FORBIDDEN.test(path)) return null
  const parts = path.split('/')
  const isPlain = (part: string) => part !== '' && part !== '.' && part !== '..' && bytesOf(part) <= MAX_PART_BYTES
  return parts.every(isPlain) ? parts : null
}

/** The picture of a recording for players and lists. */
export const POSTER = 'poster.jpg'

/** Of the name of a bot's file. Its key has the ids of bot and attempt before it. */
export const MAX_FILE_NAME_BYTES = 800
