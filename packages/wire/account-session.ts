/**
 * The session of an account: the storage state of a browser in which a person signed in (Playwright's `storageState`),
 * without what other hosts than those of its platform stored.
 */
import { z } from 'zod'
import type { AccountPlatform } from './platforms.ts'

/** When a bot uses an account of its team: `if_required` once the platform refuses guests. */
export const ACCOUNT_USES = ['never', 'if_required', 'always'] as const

/** Of the session as JSON. One of a single platform has some tens of KiB. */
export const MAX_SESSION_BYTES = 512 * 1024

/** Unknown fields of newer versions are kept. */
export const storageStateSchema = z.looseObject({
  cookies: z
    .array(
      z.looseObject({
        name: z.string(),
        value: z.string(),
        domain: z.string(),
        path: z.string().default('/'),
        expires: z.number().default(-1),
        httpOnly: z.boolean().default(false),
        secure: z.boolean().default(false),
        sameSite: z.enum(['Strict', 'Lax', 'None']).default('Lax'),
      }),
    )
    .max(10_000),
  origins: z
    .array(
      z.looseObject({
        origin: z.string(),
        localStorage: z.array(z.looseObject({ name: z.string(), value: z.string() })).default([]),
      }),
    )
    .max(1000)
    .default([]),
})
export type StorageState = z.output<typeof storageStateSchema>

/** A host below one of these belongs to the platform. */
const HOSTS: Readonly<Record<AccountPlatform, readonly string[]>> = {
  meet: ['google.com'],
  teams: [
    ...['microsoft.com', 'microsoftonline.com', 'microsoftonline.us', 'partner.microsoftonline.cn', 'live.com'],
    ...['office.com', 'cloud.microsoft', 'login.windows.net', 'teams.microsoft.us', 'skype.com'],
  ],
  zoom: ['zoom.us', 'zoom.com', 'zoomgov.com'],
}

/** Reads a storage state. The problem is a sentence without its content. */
export function readStorageState(value: unknown): { state: StorageState } | { problem: string } {
  const read = storageStateSchema.safeParse(value)
  if (read.success) return { state: read.data }
  return { problem: `is no storage state: ${read.error.issues[0]?.path.join('.') ?? ''} is wrong` }
}

/** The part of a storage state that belongs to the platform. */
export function sessionOf(platform: AccountPlatform, value: unknown): { session: StorageState } | { problem: string } {
  const read = readStorageState(value)
  if ('problem' in read) return read
  const { state } = read
  const isOurs = (host: string) =>
    HOSTS[platform].some((known) => host.toLowerCase() === known || host.toLowerCase().endsWith(`.${known}`))
  const session = {
    cookies: state.cookies.filter(({ domain }) => isOurs(domain.replace(/^\./, ''))),
    origins: state.origins.filter(({ origin }) => URL.canParse(origin) && isOurs(new URL(origin).hostname)),
  }
  if (session.cookies.length === 0) return { problem: `holds no cookie of ${HOSTS[platform].join(', ')}` }
  return Buffer.byteLength(JSON.stringify(session)) <= MAX_SESSION_BYTES
    ? { session }
    : { problem: `must not be larger than ${MAX_SESSION_BYTES / 1024} KiB` }
}

/** Shorter values are words such as `en-US` rather than secrets. Characters. */
const MIN_COOKIE_LENGTH = 6
/** Local storage holds more words than cookies do. */
const MIN_STORED_LENGTH = 12
/** Longer values of local storage are documents, which hold tokens but are none. */
const MAX_SECRET_LENGTH = 8192

/** The values that give access, under names by which the log hides them. */
export function secretsOfSession({ cookies, origins }: StorageState): Record<string, string> {
  const stored = origins.flatMap(({ localStorage }) => localStorage)
  const atLeast = (length: number, entries: readonly { value: string }[]) =>
    entries.map(({ value }) => value).filter((value) => value.length >= length && value.length <= MAX_SECRET_LENGTH)
  const secrets = [...atLeast(MIN_COOKIE_LENGTH, cookies), ...atLeast(MIN_STORED_LENGTH, stored)]
  return Object.fromEntries(secrets.map((value, index) => [`session_token_${index}`, value]))
}
