/** Addresses that messages are sent to: of teams, of accounts of the older generation, and of single bots. */
import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { liveTypesOf } from '../../bots/shown-events.ts'
import type { Seals } from '../../platform/ports.ts'
import { logChange } from '../audit-log.ts'
import { type Database, inTransaction, type Tx } from '../database.ts'
import type { EndpointRow } from '../rows/index.ts'
import { emptyInbox } from './live.ts'

/** Hours in which both secrets sign after a rotation. */
const ROTATION_HOURS = 24
const SECRET_BYTES = 32
const LIVE_WITHIN_MS = 1_000

/**
 * `team`: webhooks of `/v2`, signed. `account` and `bot`: the older generation. `callback`: of one bot, its secret is sent
 * verbatim.
 */
export type EndpointKind = 'team' | 'account' | 'bot' | 'callback'

export interface NewEndpoint {
  teamId: string
  kind: EndpointKind
  url: string
  /** With `bot` and `callback`. */
  botId?: string
  method?: 'POST' | 'PUT'
  /** Null or absent: every event but live ones. */
  events?: readonly string[] | null | undefined
  /** How long live events of a bot are gathered. */
  liveWithinMs?: number | undefined
  /** Made if it is left out and `kind` is `team`. */
  secret?: string | null
}

/** A secret for signatures: `whsec_` and 32 random bytes in base64. */
function newSigningSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`
}

/** The secret is answered here only. */
export async function createEndpoint(
  db: Database | Tx,
  seals: Seals,
  endpoint: NewEndpoint,
): Promise<{ id: string; secret: string | null }> {
  const id = randomUUID()
  const { teamId, kind, url, events } = endpoint
  const secret = endpoint.secret ?? (kind === 'team' ? newSigningSecret() : null)
  await inTransaction(db, async (tx) => {
    await tx
      .insertInto('endpoints')
      .values({
        id,
        team_id: teamId,
        bot_id: endpoint.botId ?? null,
        kind,
        url,
        method: endpoint.method ?? 'POST',
        events: jsonOrNull(events ?? null),
        live_types: jsonOrNull(liveTypesOf(events ?? null)),
        live_within_ms: endpoint.liveWithinMs ?? LIVE_WITHIN_MS,
        secret: secret === null ? null : seals.seal(secret, secretPlace(id)),
      })
      .execute()
    // The others belong to a bot. An address may hold secrets behind its host.
    if (kind === 'team' || kind === 'account')
      await logChange(tx, { teamId, action: 'endpoint.create', target: id, details: { host: hostOf(url) } })
  })
  return { id, secret }
}

const jsonOrNull = (list: readonly string[] | null) => (list === null ? null : JSON.stringify(list))

const hostOf = (url: string) => URL.parse(url)?.host ?? null

export const secretPlace = (id: string) => ({ table: 'endpoints', column: 'secret', row: id })
export const previousSecretPlace = (id: string) => ({ table: 'endpoints', column: 'previous_secret', row: id })

export type ShownEndpoint = Omit<EndpointRow, 'secret' | 'previous_secret'>

/** Endpoints of a team, or of all teams; those of single bots only when asked for. Oldest first. */
export async function listEndpoints(
  db: Database,
  filter: { teamId?: string; botId?: string } = {},
): Promise<ShownEndpoint[]> {
  let query = db
    .selectFrom('endpoints')
    .select([
      'id',
      'team_id',
      'bot_id',
      'kind',
      'url',
      'method',
      'events',
      'live_types',
      'live_within_ms',
      'previous_secret_until',
      'failed_in_a_row',
      'probe_at',
      'failing_since',
      'disabled_at',
      'disabled_reason',
      'created_at',
    ])
    .where(isKept)
  query = filter.botId === undefined ? query.where('bot_id', 'is', null) : query.where('bot_id', '=', filter.botId)
  if (filter.teamId !== undefined) query = query.where('team_id', '=', filter.teamId)
  return query.orderBy('created_at').orderBy('id').execute()
}

/** The new secret; the one before signs beside it for 24 hours. Null if there is no such endpoint of a team. */
export async function rotateSecret(db: Database, seals: Seals, id: string, teamId?: string): Promise<string | null> {
  return db.transaction().execute(async (tx) => {
    let query = tx
      .selectFrom('endpoints')
      .select(['secret', 'team_id'])
      .where('id', '=', id)
      .where('kind', '=', 'team')
      .forUpdate()
    if (teamId !== undefined) query = query.where('team_id', '=', teamId)
    const row = await query.executeTakeFirst()
    if (row === undefined) return null
    const secret = newSigningSecret()
    const before = row.secret === null ? null : seals.open(row.secret, secretPlace(id))
    await tx
      .updateTable('endpoints')
      .set({
        secret: seals.seal(secret, secretPlace(id)),
        previous_secret: before === null ? null : seals.seal(before, previousSecretPlace(id)),
        previous_secret_until: before === null ? null : sql<Date>`now() + make_interval(hours => ${ROTATION_HOURS})`,
      })
      .where('id', '=', id)
      .execute()
    await logChange(tx, { teamId: row.team_id, action: 'endpoint.rotate_secret', target: id })
    return secret
  })
}

/** Sends to a disabled endpoint again, from now on. False if there is none, or it was removed or replaced. */
export async function enableEndpoint(db: Database | Tx, id: string): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const row = await tx
      .updateTable('endpoints')
      .set({ disabled_at: null, disabled_reason: null, failed_in_a_row: 0, probe_at: null, failing_since: null })
      .where('id', '=', id)
      .where(isKept)
      .returning('team_id')
      .executeTakeFirst()
    if (row === undefined) return false
    await emptyInbox(tx, id)
    await logChange(tx, { teamId: row.team_id, action: 'endpoint.enable', target: id })
    return true
  })
}

export interface EndpointChange {
  url?: string | undefined
  /** Null: every event. */
  events?: readonly string[] | null | undefined
  liveWithinMs?: number | undefined
}

/** Changes an endpoint of a team. False if there is none. */
export async function changeEndpoint(db: Database, id: string, change: EndpointChange): Promise<boolean> {
  const { url, events, liveWithinMs } = change
  return db.transaction().execute(async (tx) => {
    const row = await tx
      .updateTable('endpoints')
      .set({
        ...(url !== undefined && { url }),
        ...(events !== undefined && {
          events: jsonOrNull(events),
          live_types: jsonOrNull(liveTypesOf(events)),
        }),
        ...(liveWithinMs !== undefined && { live_within_ms: liveWithinMs }),
      })
      .where('id', '=', id)
      .where('kind', '=', 'team')
      .returning(['team_id', 'url'])
      .executeTakeFirst()
    if (row === undefined) return false
    await logChange(tx, {
      teamId: row.team_id,
      action: 'endpoint.change',
      target: id,
      details: { host: hostOf(row.url), ...(events !== undefined && { events }) },
    })
    return true
  })
}

/**
 * Sends nothing more to an endpoint of a team; what waits for it is dropped. A removed one is listed no more, but its
 * deliveries still name it. False if there is none.
 */
export async function stopEndpoint(db: Database, id: string, how: 'disable' | 'remove'): Promise<boolean> {
  const reason = how === 'remove' ? REMOVED : BY_PERSON
  return db.transaction().execute(async (tx) => {
    const row = await tx
      .updateTable('endpoints')
      .set({ disabled_at: sql<Date>`coalesce(disabled_at, now())`, disabled_reason: reason })
      .where('id', '=', id)
      .where('kind', '=', 'team')
      .returning('team_id')
      .executeTakeFirst()
    if (row === undefined) return false
    await logChange(tx, { teamId: row.team_id, action: `endpoint.${how}`, target: id })
    return true
  })
}

/** Reason of a team's endpoint that a person removed. */
const REMOVED = 'removed'
const BY_PERSON = 'switched off by an owner'
/** Reason of an account's endpoint that has a successor or was removed. */
const REPLACED = 'replaced'
/** Whether an endpoint, also a disabled one, is shown and can be enabled. */
export const isKept = sql<boolean>`coalesce(disabled_reason, '') not in (${REMOVED}, ${REPLACED})`

/** The one address of the older generation's account; null if none is set. A disabled one is shown all the same. */
export async function readAccountUrl(db: Database | Tx, teamId: string): Promise<string | null> {
  return (await accountEndpoint(db, teamId))?.url ?? null
}

async function accountEndpoint(db: Database | Tx, teamId: string) {
  return db
    .selectFrom('endpoints')
    .select(['id', 'url', 'disabled_at'])
    .where('team_id', '=', teamId)
    .where('kind', '=', 'account')
    .where(isKept)
    .orderBy('created_at', 'desc')
    .executeTakeFirst()
}

/**
 * Replaces the account's address; null removes it. Deliveries that wait for the earlier address are dropped. The same
 * address again enables one that was disabled.
 */
export async function setAccountUrl(db: Database, seals: Seals, teamId: string, url: string | null): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await tx.selectFrom('teams').select('id').where('id', '=', teamId).forUpdate().execute()
    const current = await accountEndpoint(tx, teamId)
    if (current !== undefined && current.url === url) {
      if (current.disabled_at !== null) await enableEndpoint(tx, current.id)
      return
    }
    await sql`
      with gone as (
        update endpoints set disabled_at = coalesce(disabled_at, now()), disabled_reason = ${REPLACED}
        where team_id = ${teamId} and kind = 'account'
        returning id
      )
      update deliveries set state = 'dropped', finished_at = now()
      where endpoint_id in (select id from gone) and state = 'waiting'`.execute(tx)
    if (url !== null) await createEndpoint(tx, seals, { teamId, kind: 'account', url })
    else if (current !== undefined) await logChange(tx, { teamId, action: 'endpoint.remove', target: current.id })
  })
}
