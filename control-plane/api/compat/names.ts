/**
 * The public names of the interface and the names here, both ways: keys and codes, never the content of free-form
 * values. Pure. See docs/api.md#public-names.
 */
import { publicCode } from '../../bots/public-names.ts'

export type Generation = 'v2' | 'older'

/** Public key → key here. */
const KEYS: Readonly<Record<string, string>> = {
  zoom_config: 'conf_config',
  zoom_sdk_id: 'conf_sdk_id',
  zoom_sdk_pwd: 'conf_sdk_pwd',
  zoom_obf_token: 'conf_obf_token',
  zoom_obf_token_url: 'conf_obf_token_url',
  zoom_obf_token_user_id: 'conf_obf_token_user_id',
  zoom_access_token_url: 'conf_access_token_url',
  zoom_client_id: 'conf_client_id',
  zoom_client_secret: 'conf_client_secret',
  zoom_user_id: 'conf_user_id',
  zoom_account_id: 'conf_account_id',
  zoom_email: 'conf_email',
  zoom_display_name: 'conf_display_name',
}
const OLDER_KEYS: Readonly<Record<string, string>> = { ...KEYS, google_id: 'provider_id' }

const inverse = (names: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(names).map(([name, other]) => [other, name]))

const TO_NATIVE = { v2: new Map(Object.entries(KEYS)), older: new Map(Object.entries(OLDER_KEYS)) }
const TO_PUBLIC = {
  v2: new Map(Object.entries(inverse(KEYS))),
  older: new Map(Object.entries(inverse(OLDER_KEYS))),
}

/** Values under these keys belong to the caller or to a provider and are repeated as they are. */
const FREE_FORM = new Set([
  'extra',
  'raw',
  'raw_payload',
  'custom_params',
  'transcription_custom_parameters',
  'provider_metadata',
])

/** Keys whose value may be an error code. */
const CODE_KEYS = new Set(['code', 'error_code', 'error', 'errors', 'error_type'])

/** No object of the interface is nested deeper; deeper values are returned unchanged. */
const MAX_DEPTH = 40

interface Renaming {
  names: ReadonlyMap<string, string>
  contentOf(key: string, value: unknown): unknown
}

/** A body of a client with the keys that the handlers know. Where both names of a key are given, the public one counts. */
export function toNativeNames(value: unknown, generation: Generation): unknown {
  return renamed(value, { names: TO_NATIVE[generation], contentOf: (_key, inner) => inner }, 0)
}

/** An answer with the public keys and codes. */
export function toPublicNames(value: unknown, generation: Generation): unknown {
  const contentOf = (key: string, inner: unknown) =>
    CODE_KEYS.has(key) && typeof inner === 'string' ? publicCode(inner) : inner
  return renamed(value, { names: TO_PUBLIC[generation], contentOf }, 0)
}

function renamed(value: unknown, renaming: Renaming, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value
  if (Array.isArray(value)) return value.map((entry) => renamed(entry, renaming, depth + 1))
  const kept: [string, unknown][] = []
  const replaced: [string, unknown][] = []
  for (const [key, inner] of Object.entries(value)) {
    const content = FREE_FORM.has(key) ? inner : renaming.contentOf(key, renamed(inner, renaming, depth + 1))
    const name = renaming.names.get(key)
    if (name === undefined) kept.push([key, content])
    else replaced.push([name, content])
  }
  // Of two entries with one key the later one counts.
  return Object.fromEntries([...kept, ...replaced])
}

const NATIVE_WORDS = new RegExp(`\\b(?:${[...TO_PUBLIC.v2.keys()].join('|')})\\b`, 'g')

/** A sentence for the caller, with the public names of the fields that it names. */
export function publicText(text: string): string {
  return text
    .replace(NATIVE_WORDS, (word) => TO_PUBLIC.v2.get(word)!)
    .replace(/\b[A-Z]+(?:_[A-Z]+)+\b/g, (word) => publicCode(word))
}

/** The path that clients use for a route. */
export function publicPath(path: string): string {
  return path
    .replace(/^\/conf-credentials(?=\/|$)/, '/zoom-credentials')
    .replace(/^\/conf_oauth_connections(?=\/|$)/, '/zoom_oauth_connections')
}
