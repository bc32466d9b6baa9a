/** Whether a database is one that the service can use, before anything is set or written there. */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { rememberLender, SET_BEFORE, settingsThatDiffer } from './session.ts'

const PATIENCE_MS = 10_000
const OLDEST_VERSION = 15
/** A setting of ours, which no server has. */
const MARK = 'standin.session'

/** A clause about the database without a subject, and how the operator corrects it. */
export interface DatabaseFault {
  message: string
  cure: string
}

/**
 * Null: it can be used, and connections that are opened after this know whether a pooler lends them their sessions. Rejects
 * with the error of the driver or the server if the database cannot be reached.
 */
export async function faultOfDatabase(url: string): Promise<DatabaseFault | null> {
  const clients = [0, 1].map(() => {
    const times = { connectionTimeoutMillis: PATIENCE_MS, query_timeout: PATIENCE_MS }
    return new pg.Client({ connectionString: url, application_name: 'standin start', ...times })
  }) as [pg.Client, pg.Client]
  for (const client of clients) client.on('error', () => {})
  try {
    await clients[0].connect()
    const fault = await faultOfServer(clients[0])
    if (fault !== null) return fault
    await clients[1].connect()
    return (await keepsSessions(clients)) ? null : await faultOfLender(url, clients)
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => {})))
  }
}

/** Of a pooler that lends a session for each transaction: settings then travel with each statement. */
async function faultOfLender(url: string, clients: [pg.Client, pg.Client]): Promise<DatabaseFault | null> {
  const settings = await settingsThatDiffer(clients[0])
  const lines = Object.entries(settings).filter(([name]) => SET_BEFORE.test(name))
  if (lines.length > 0)
    return {
      message:
        'leads to a pooler that gives each transaction another session, in which transactions begin otherwise than the service needs',
      cure: `Run, as the role of the address: ${lines.map(([name, value]) => `alter role current_user set ${name} = '${value}';`).join(' ')} Then let the pooler make its connections again (RECONNECT)`,
    }
  if (!(await keepsStatements(clients)))
    return {
      message: 'leads to a pooler that gives each transaction another session and keeps no prepared statements',
      cure: 'Use PgBouncer 1.21 or newer with pool_mode = transaction and max_prepared_statements above 0, let it keep a session for each connection (pool_mode = session), or write the address of PostgreSQL itself',
    }
  rememberLender(url, settings)
  return null
}

/** Whether both connections may prepare different statements under one name, and transactions are allowed at all. */
async function keepsStatements(clients: readonly pg.Client[]): Promise<boolean> {
  try {
    for (const turn of [1, 2])
      for (const [index, client] of clients.entries()) {
        await client.query('begin')
        const { rows } = await client.query({ name: MARK, text: `select ${index} as number` })
        await client.query('commit')
        if (rows[0].number !== index) throw new Error(`Turn ${turn} ran the statement of another connection`)
      }
    return true
  } catch {
    return false
  }
}

async function faultOfServer(client: pg.Client): Promise<DatabaseFault | null> {
  const { rows } = await client.query<{ version: number; encoding: string; schema: string | null }>(`
    select current_setting('server_version_num')::int / 10000 as version,
      current_setting('server_encoding') as encoding, current_schema() as schema`)
  const { version, encoding, schema } = rows[0]!
  if (version < OLDEST_VERSION)
    return { message: `is a PostgreSQL ${version}`, cure: `Use PostgreSQL ${OLDEST_VERSION} or newer` }
  if (encoding !== 'UTF8')
    return {
      message: `is a database with the encoding ${encoding}, which lacks letters that people write`,
      cure: "Make one with: create database standin encoding 'UTF8' template template0",
    }
  if (schema === null)
    return {
      message: 'is a database in which no schema of the search_path exists',
      cure: 'Create the schema, or correct search_path of the role and of the database',
    }
  return null
}

/** A pooler in transaction mode lends one session to both connections, or several sessions to one connection. */
async function keepsSessions([one, other]: [pg.Client, pg.Client]): Promise<boolean> {
  const marks = new Map([one, other].map((client) => [client, randomUUID()] as const))
  for (const [client, mark] of marks) await client.query('select set_config($1, $2, false)', [MARK, mark])
  for (const client of [other, one]) {
    const { rows } = await client.query('select current_setting($1, true) as mark', [MARK])
    if (rows[0].mark !== marks.get(client)) return false
  }
  return true
}
