/**
 * The last requests with the API keys of a team, for its owners. They are written many at a time, after their answers. Of a
 * burst some are left out and counted, so that the log costs the same however fast a team calls.
 */
import { hideSecrets } from '@standin/wire/text/secret-patterns.ts'
import { type Selectable, sql } from 'kysely'
import type { Log } from '../platform/ports.ts'
import type { Database } from './database.ts'
import type { RequestLogTable } from './rows/team-tables.ts'

const WRITE_EVERY_MS = 1000
/** Entries of one team in one write, and how many of them may be successes: errors are what people look for. */
const MAX_ENTRIES = 100
const MAX_SUCCESSES = 80
/** Of all teams, while the database is slow. */
const MAX_WAITING = 5000
/** Rows of a team. Each process may write so many more before it removes older ones. */
const MAX_ROWS = 5000
const ROWS_BETWEEN_REMOVALS = 1000
const MAX_PATH = 500
const MAX_BODY = 2000

export interface LoggedRequest {
  teamId: string
  keyId: string
  requestId: string
  method: string
  path: string
  status: number
  ms: number
  error: { code: string; body: unknown } | null
}

interface TeamEntries {
  entries: (LoggedRequest & { at: Date })[]
  leftOut: number
}

export interface RequestLog {
  /** Never waits and never fails. */
  add(request: LoggedRequest): void
  /** Writes what waits. */
  close(): Promise<void>
}

export function createRequestLog(db: Database, log: Log): RequestLog {
  let teams = new Map<string, TeamEntries>()
  let waiting = 0
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()
  /** Rows of each team since its old ones were removed. */
  const written = new Map<string, number>()

  async function write(): Promise<void> {
    timer = undefined
    const rows = [...teams.values()].flatMap(rowsOf)
    teams = new Map()
    waiting = 0
    await insertRows(db, rows)
    for (const { team_id } of rows) written.set(team_id, (written.get(team_id) ?? 0) + 1)
    for (const [teamId, count] of written) {
      if (count < ROWS_BETWEEN_REMOVALS) continue
      written.delete(teamId)
      await removeOldest(db, teamId)
    }
  }

  function flush(): Promise<void> {
    writing = writing.then(write).catch((error: unknown) => {
      log.warn({ error: String(error) }, 'The request log could not be written')
    })
    return writing
  }

  return {
    add(request) {
      const team = teams.get(request.teamId) ?? { entries: [], leftOut: 0 }
      teams.set(request.teamId, team)
      const most = request.status < 400 ? MAX_SUCCESSES : MAX_ENTRIES
      if (team.entries.length >= most || waiting >= MAX_WAITING) team.leftOut += 1
      else {
        team.entries.push({ ...request, at: new Date() })
        waiting += 1
      }
      timer ??= setTimeout(flush, WRITE_EVERY_MS).unref()
    },
    async close() {
      clearTimeout(timer)
      await flush()
    },
  }
}

const shortened = (text: string, most: number) => hideSecrets(text).slice(0, most).toWellFormed().replaceAll('\0', '')

/** The last one says how many were left out. */
const rowsOf = ({ entries, leftOut }: TeamEntries) =>
  entries.map(({ at, teamId, keyId, requestId, method, path, status, ms, error }, place) => ({
    ...{ at, team_id: teamId, key_id: keyId, request_id: requestId, method, status, ms: Math.round(ms) },
    path: shortened(path, MAX_PATH),
    error_code: error?.code ?? null,
    error_body: error && shortened(JSON.stringify(error.body, null, 2), MAX_BODY),
    left_out: place === entries.length - 1 ? leftOut : 0,
  }))

async function insertRows(db: Database, rows: ReturnType<typeof rowsOf>): Promise<void> {
  const columns = sql.raw('team_id, at, key_id, request_id, method, path, status, ms, error_code, error_body, left_out')
  if (rows.length > 0)
    await sql`insert into request_log (${columns}) select ${columns}
      from jsonb_populate_recordset(null::request_log, ${JSON.stringify(rows)}::jsonb)`.execute(db)
}

async function removeOldest(db: Database, teamId: string): Promise<void> {
  await sql`delete from request_log where team_id = ${teamId} and id <=
    (select id from request_log where team_id = ${teamId} order by id desc offset ${MAX_ROWS} limit 1)`.execute(db)
}

export interface RequestFilter {
  method?: string | undefined
  /** From and below. */
  statuses?: readonly [number, number] | undefined
  keyId?: string | undefined
  /** A part of the path, the id of the request or its error code. */
  text?: string | undefined
  /** The id of the last one that was shown. */
  before?: number | undefined
  limit: number
}

type ShownRequest = Omit<Selectable<RequestLogTable>, 'team_id'> & { key_name: string }

/** Lists the requests of the last day, newest first. */
export async function listRequests(
  db: Database,
  teamId: string,
  { method, statuses, keyId, text, before, limit }: RequestFilter,
): Promise<ShownRequest[]> {
  const conditions = [
    sql`request_log.team_id = ${teamId} and at > now() - interval '1 day'`,
    ...(method === undefined ? [] : [sql`method = ${method}`]),
    ...(statuses === undefined ? [] : [sql`status >= ${statuses[0]} and status < ${statuses[1]}`]),
    ...(keyId === undefined ? [] : [sql`key_id = ${keyId}`]),
    ...(text === undefined ? [] : [sql`(strpos(path, ${text}) > 0 or request_id = ${text} or error_code = ${text})`]),
    ...(before === undefined ? [] : [sql`request_log.id < ${before}`]),
  ]
  const { rows } = await sql<ShownRequest>`
    select request_log.id, at, key_id, coalesce(name, '') as key_name, request_id, method, path, status, ms,
      error_code, error_body, left_out
    from request_log left join api_keys on api_keys.id = key_id
    where ${sql.join(conditions, sql` and `)} order by request_log.id desc limit ${limit}`.execute(db)
  return rows
}
