/** Keys of stored files: paths below the root, such as `<bot_id>/<attempt>/video.mp4`. */

const MAX_KEY_BYTES = 1024
const MAX_PART_BYTES = 255
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const FORBIDDEN = /[\u0000-\u001f\u007f-\u009f\\]/

/** The parts of a key; null for anything that is no plain path below the root. */
export function keyParts(key: string): string[] | null {
  if (key === '' || Buffer.byteLength(key) > MAX_KEY_BYTES || !key.isWellFormed() || FORBIDDEN.test(key)) return null
  const parts = key.split('/')
  const isPlain = (part: string) =>
    part !== '' && part !== '.' && part !== '..' && Buffer.byteLength(part) <= MAX_PART_BYTES
  return parts.every(isPlain) ? parts : null
}

/** Parts of a key that has to be one. Throws otherwise. */
export function checkedParts(key: string): string[] {
  const parts = keyParts(key)
  if (parts === null) throw new Error(`${JSON.stringify(key.slice(0, 100))} is not the key of a file`)
  return parts
}

/** A prefix as a folder: its parts, with `/` at its end. An empty prefix would be the whole store, and is refused. */
export function folderPrefix(prefix: string): string {
  return `${checkedParts(prefix.replace(/\/$/, '')).join('/')}/`
}
