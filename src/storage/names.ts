import { StorageError } from './error.ts'

/** Linux file systems take 255 bytes in a name; S3 takes 1024 bytes in a whole key. */
const SEGMENT_BYTES = 255
const KEY_BYTES = 1024

/** C0, DEL and C1: they break listings and terminals, and NUL ends a path. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f]/

/** The name in a form that a message may contain. */
function shown(name: string): string {
  const text = JSON.stringify(name)
  return text.length > 120 ? `${text.slice(0, 120)}…"` : text
}

function problemOf(name: string): string | null {
  if (name === '') return 'is empty'
  if (!name.isWellFormed()) return 'is not valid Unicode'
  if (CONTROL_CHARACTERS.test(name)) return 'holds a control character'
  if (name.includes('\\')) return 'holds a backslash'
  if (name.startsWith('/')) return 'is absolute'
  for (const segment of name.split('/')) {
    if (segment === '') return 'holds an empty part'
    if (segment === '.' || segment === '..') return `holds the part "${segment}"`
    if (Buffer.byteLength(segment) > SEGMENT_BYTES) return `has a part longer than ${SEGMENT_BYTES} bytes`
  }
  return null
}

/** The parts of a relative name such as `debug/page.html`. Throws for any name that could leave its folder. */
export function nameParts(name: string): string[] {
  const problem = problemOf(name)
  if (problem !== null) throw new StorageError('invalid', `The file name ${shown(name)} ${problem}`)
  return name.split('/')
}

/** A bot's id as the one folder that holds its recording. Throws when it is not exactly one folder. */
export function recordingFolder(botId: string): string {
  const problem = botId.includes('/') ? 'holds a slash' : problemOf(botId)
  if (problem !== null) throw new StorageError('invalid', `The bot id ${shown(botId)} ${problem}`)
  return botId
}

export interface S3Address {
  bucket: string
  /** Without slashes at its ends; empty for the bucket itself. */
  prefix: string
}

/** A prefix without slashes at its ends. Throws for parts that S3 tools and browsers would resolve away. */
export function normalizePrefix(prefix: string): string {
  const trimmed = prefix.replace(/^\/+|\/+$/g, '')
  const problem = trimmed === '' ? null : problemOf(trimmed)
  if (problem !== null) throw new StorageError('invalid', `The S3 prefix ${shown(prefix)} ${problem}`)
  return trimmed
}

/** Reads `s3://bucket` or `s3://bucket/prefix`. Everything after the bucket is taken literally. */
export function parseS3Address(address: string): S3Address {
  const match = /^s3:\/\/([^/]*)(\/.*)?$/s.exec(address)
  const bucket = match?.[1] ?? ''
  // AWS allows lowercase, digits, dots and hyphens; older and other servers also capitals and underscores.
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/.test(bucket)) {
    throw new StorageError('invalid', `${shown(address)} is not an address such as s3://bucket/prefix`)
  }
  return { bucket, prefix: normalizePrefix(match?.[2] ?? '') }
}

/** The whole key of a file of a recording. */
export function objectKey(prefix: string, botId: string, name: string): string {
  const key = [normalizePrefix(prefix), recordingFolder(botId), ...nameParts(name)]
    .filter((part) => part !== '')
    .join('/')
  if (Buffer.byteLength(key) > KEY_BYTES) {
    throw new StorageError('invalid', `The S3 key ${shown(key)} is longer than ${KEY_BYTES} bytes`)
  }
  return key
}
