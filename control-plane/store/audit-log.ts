/**
 * The audit log: who changed what of a team, when, and from where. A function that makes such a change calls `logChange` in
 * its own transaction, so there is no change without its entry and no entry without its change. Entries hold no secrets.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { sql } from 'kysely'
import type { Database, Tx } from './database.ts'
import { type PageRequest, type Places, readPage } from './pages.ts'
import type { NewAuditLogRow } from './rows/index.ts'

export const ACTOR_KINDS = ['person', 'key', 'operator', 'system'] as const
type ActorKind = (typeof ACTOR_KINDS)[number]

export const AUDIT_ACTIONS = [
  'account.change',
  'account.check',
  'account.create',
  'account.delete',
  'bot.change',
  'bot.command',
  'bot.create',
  'bot.delete_data',
  'bot.resend_webhook',
  'bot.retranscribe',
  'bot.stop',
  'calendar.change',
  'calendar.connect',
  'calendar.disconnect',
  'calendar_bots.cancel',
  'calendar_bots.change',
  'calendar_bots.schedule',
  'credential.change',
  'credential.create',
  'credential.delete',
  'endpoint.change',
  'endpoint.create',
  'endpoint.disable',
  'endpoint.enable',
  'endpoint.remove',
  'endpoint.replay',
  'endpoint.rotate_secret',
  'key.create',
  'key.revoke',
  'person.change',
  'person.change_password',
  'person.create',
  'person.invite',
  'person.remove',
  'person.withdraw_invitation',
  'team.change',
  'team.create',
  'team.grant_tokens',
] as const
type AuditAction = (typeof AUDIT_ACTIONS)[number]

/** Who makes changes. */
export interface Actor {
  kind: ActorKind
  id: string | null
  /** Null: the change was not requested over the network. */
  address: string | null
  /** Whose rows the actor sees over the connections of callers. Null: of no team. */
  teamId: string | null
  /** Of this actor so far. */
  entries: number
}

const SYSTEM: Readonly<Actor> = { kind: 'system', id: null, address: null, teamId: null, entries: 0 }
/** Requests reach the store through parts that get no caller, such as calendars and webhooks. */
const acting = new AsyncLocalStorage<Actor>()

/** Runs work whose changes are the actor's. Other work is the service's own. */
export function actAs<T>(actor: Actor, work: () => T): T {
  return acting.run(actor, work)
}

export interface Change {
  teamId: string
  action: AuditAction
  /** The id of what was changed. */
  target: string | null
  /** Values that are no secrets and that the reader of the log needs. */
  details?: Readonly<Record<string, unknown>>
}

/** Throws without a team: such work does not belong on the connections of callers. */
export function actingTeam(): string {
  const teamId = acting.getStore()?.teamId
  if (!teamId) throw new Error('A statement for callers is not part of the request of a team')
  return teamId
}

export async function logChange(tx: Tx, change: Change): Promise<void> {
  await tx.insertInto('audit_log').values(entryOf(change)).execute()
}

/** For a statement that inserts it beside the change. */
export function entryOf({ teamId, action, target, details }: Change): NewAuditLogRow {
  const actor = acting.getStore()
  if (actor !== undefined) actor.entries += 1
  const { kind, id, address } = actor ?? SYSTEM
  return {
    team_id: teamId,
    actor_kind: kind,
    actor_id: id,
    address,
    action,
    target,
    details: details === undefined ? null : JSON.stringify(details),
  }
}

export interface AuditFilter {
  actorKinds?: readonly string[] | undefined
  actorId?: string | undefined
  actions?: readonly string[] | undefined
  target?: string | undefined
  /** Inclusive. */
  after?: Date | undefined
  /** Exclusive. */
  before?: Date | undefined
}

export interface ShownEntry {
  id: string
  at: Date
  actor_kind: ActorKind
  actor_id: string | null
  /** Of the person or the key, as it is called now. */
  actor_name: string | null
  address: string | null
  action: AuditAction
  target: string | null
  details: Record<string, unknown> | null
}

const COLUMNS = sql`id, at, actor_kind, actor_id, address, action, target, details,
  coalesce((select name from people where id = actor_id and actor_kind = 'person'),
    (select name from api_keys where id = actor_id and actor_kind = 'key')) as actor_name`

/** Newest first. */
export function listAuditLog(
  db: Database,
  teamId: string,
  { actorKinds, actorId, actions, target, after, before }: AuditFilter,
  page: PageRequest,
): Promise<Places & { rows: ShownEntry[] }> {
  const conditions = [
    sql`team_id = ${teamId}`,
    ...(after === undefined ? [] : [sql`at >= ${after}`]),
    ...(before === undefined ? [] : [sql`at < ${before}`]),
  ]
  const filters = [
    ...(actorKinds === undefined ? [] : [sql`actor_kind = any (${[...actorKinds]}::text[])`]),
    ...(actorId === undefined ? [] : [sql`actor_id = ${actorId}`]),
    ...(actions === undefined ? [] : [sql`action = any (${[...actions]}::text[])`]),
    ...(target === undefined ? [] : [sql`target = ${target}`]),
  ]
  const order = { column: sql.ref('at'), id: sql.ref('id'), direction: 'desc' as const }
  return readPage<ShownEntry>(db, { columns: COLUMNS, from: sql`audit_log`, conditions, filters, order }, page)
}
