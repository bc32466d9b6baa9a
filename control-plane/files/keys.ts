/** Keys of stored files: paths below the root, such as `<bot_id>/<attempt>/<bot_id>/video.mp4`. */
import { pathParts } from '@standin/wire/file-names.ts'

const MAX_KEY_BYTES = 1024

/** The parts of a key; null for anything that is no plain path below the root. */
export const keyParts = (key: string) => pathParts(key, MAX_KEY_BYTES)

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
