/** API keys. A key is shown once, when it is made; the table keeps its SHA-256 and its first characters. */
import { createHash, randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Seals } from '../../platform/ports.ts'
import { logChange } from '../audit-log.ts'
import { type Database, inTransaction, type Tx } from '../database.ts'
import { readTeam } from './teams.ts'

export const PERMISSIONS = ['full', 'sending'] as const
/** `sending` may create bots and nothing else. */
export type Permission = (typeof PERMISSIONS)[number]

export interface KeySummary {
  key_id: string
  name: string
  /** The first characters, to recognize the key by. */
  prefix: string
  permission: Permission
  last_used_at: Date | null
  /** Null: never. */
  expires_at: Date | null
  revoked_at: Date | null
}

/** The team that a request with a good key acts for. */
export interface KeyHolder {
  keyId: string
  teamId: string
  permission: Permission
  /** Of the team; null: no limit. */
  requestsPerSecond: number | null
  /** Whether the plan of the team has transcription with an own key of a provider. */
  byokTranscription: boolean
}

const PREFIX = 'standin_'
const RANDOM_BYTES = 32
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const CHECK_LENGTH = 6
/** Length of the base62 text of 32 bytes that begin with some zeros. */
const MIN_RANDOM = 30
const SHOWN_LENGTH = PREFIX.length + 6
/** Of any text that may be a key; longer ones are not looked up. */
const MAX_KEY_LENGTH = 200

/** The checksum lets a scanner of sources recognize a key without asking the service. */
export function newKey(): string {
  const random = base62(randomBytes(RANDOM_BYTES))
  return `${PREFIX}${random}${checkOf(random)}`
}

/** Whether a key of ours may be somewhere in the text. */
export function looksLikeKey(text: string): boolean {
  return /standin_[0-9A-Za-z]{30,}/.test(text)
}

/** Whether the text has the form of a key and the right checksum; every other text is no key, without a look at the table. */
export function isWellFormedKey(text: string): boolean {
  if (text.length > MAX_KEY_LENGTH || !text.startsWith(PREFIX)) return false
  const random = text.slice(PREFIX.length, -CHECK_LENGTH)
  return random.length >= MIN_RANDOM && text.slice(-CHECK_LENGTH) === checkOf(random)
}

export function hashOfKey(key: string): Buffer {
  return createHash('sha256').update(key, 'utf8').digest()
}

function checkOf(text: string): string {
  return base62(createHash('sha256').update(text).digest()).slice(0, CHECK_LENGTH)
}

function base62(bytes: Uint8Array): string {
  let rest = BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
  let text = ''
  for (; rest > 0n; rest /= 62n) text = BASE62[Number(rest % 62n)] + text
  return text
}

export interface NewKey {
  teamId: string
  name: string
  permission: Permission
  /** The sealed copy that webhooks carry in `x-service-api-key`; null if the team has that header switched off. */
  seal: ((key: string, keyId: string) => Buffer) | null
  /** When the key stops working. Null or absent: never. */
  expiresAt?: Date | null
}

/** Where the sealed copy of a key belongs. */
export const sealedKeyPlace = (keyId: string) => ({ table: 'api_keys', column: 'sealed', row: keyId })

/** How the copy of an API key is sealed that webhooks carry. */
export function sealApiKey(seals: Seals): (key: string, keyId: string) => Buffer {
  return (key, keyId) => seals.seal(key, sealedKeyPlace(keyId))
}

/** For a new key of the team: null if the team has the header switched off. */
export async function sealForTeam(db: Database | Tx, seals: Seals, teamId: string): Promise<NewKey['seal']> {
  const team = await readTeam(db, teamId)
  return team?.api_key_in_webhooks === false ? null : sealApiKey(seals)
}

export async function createKey(
  db: Database | Tx,
  { teamId, name, permission, seal, expiresAt }: NewKey,
): Promise<{ keyId: string; key: string }> {
  const key = newKey()
  const keyId = crypto.randomUUID()
  await inTransaction(db, async (tx) => {
    await tx
      .insertInto('api_keys')
      .values({
        id: keyId,
        team_id: teamId,
        name,
        permission,
        prefix: key.slice(0, SHOWN_LENGTH),
        hash: hashOfKey(key),
        sealed: seal?.(key, keyId) ?? null,
        expires_at: expiresAt ?? null,
      })
      .execute()
    await logChange(tx, { teamId, action: 'key.create', target: keyId, details: { name, permission } })
  })
  return { keyId, key }
}

/** Oldest first; those of every team without `teamId`. */
export async function listKeys(db: Database, teamId?: string): Promise<KeySummary[]> {
  const rows = await db
    .selectFrom('api_keys')
    .select(['id as key_id', 'name', 'prefix', 'permission', 'last_used_at', 'expires_at', 'revoked_at'])
    .$if(teamId !== undefined, (query) => query.where('team_id', '=', teamId!))
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows.map((row) => ({ ...row, permission: row.permission as Permission }))
}

/** False if there is no such key. A key that is revoked already stays so. */
export async function revokeKey(db: Database, keyId: string): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const row = await tx
      .updateTable('api_keys')
      .set({ revoked_at: sql`coalesce(revoked_at, now())`, sealed: null })
      .where('id', '=', keyId)
      .returning('team_id')
      .executeTakeFirst()
    if (row === undefined) return false
    await logChange(tx, { teamId: row.team_id, action: 'key.revoke', target: keyId })
    return true
  })
}

/** Why a key does not work. */
export type KeyProblem = 'unknown' | 'revoked' | 'expired'

/** Rejects if the database cannot be asked. */
export async function findKeyHolder(db: Database, key: string): Promise<KeyHolder | KeyProblem> {
  if (key.length > MAX_KEY_LENGTH) return 'unknown'
  const row = await db
    .selectFrom('api_keys')
    .innerJoin('teams', 'teams.id', 'api_keys.team_id')
    .select(['api_keys.id', 'team_id', 'permission', 'requests_per_second', 'byok_transcription', 'revoked_at'])
    .select(sql<boolean>`coalesce(expires_at <= now(), false)`.as('is_expired'))
    .where('hash', '=', hashOfKey(key))
    .executeTakeFirst()
  if (row === undefined) return 'unknown'
  if (row.revoked_at !== null) return 'revoked'
  if (row.is_expired) return 'expired'
  return {
    keyId: row.id,
    teamId: row.team_id,
    permission: row.permission as Permission,
    requestsPerSecond: row.requests_per_second,
    byokTranscription: row.byok_transcription,
  }
}

/** Notes the last use, at most once a minute for each key. */
export async function noteKeyUse(db: Database, keyId: string): Promise<void> {
  await db
    .updateTable('api_keys')
    .set({ last_used_at: sql`now()` })
    .where('id', '=', keyId)
    .where((where) =>
      where.or([where('last_used_at', 'is', null), where('last_used_at', '<', sql<Date>`now() - interval '1 minute'`)]),
    )
    .execute()
}
