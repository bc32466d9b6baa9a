/**
 * What each connection sets for itself, whatever its role, its database and its server have set. It does so by a statement after
 * the connection is made: PgBouncer refuses most settings among the parameters of a new connection.
 */
import type pg from 'pg'
import { isReadOnlyError, reportReadOnly } from './moved-database.ts'

/**
 * Settings that statements and the driver rely on. Not `search_path`, which chooses where the tables are, and not
 * `default_transaction_read_only`, with which an operator keeps writes from a server.
 */
const RELIED_ON: Readonly<Record<string, string>> = {
  // The driver reads times in this form, and writes lists with NULL for a missing value.
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  bytea_output: 'hex',
  extra_float_digits: '1',
  array_nulls: 'on',
  standard_conforming_strings: 'on',
  transform_null_equals: 'off',
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  row_security: 'on',
  // Errors of statements are expected, and idle connections are kept.
  exit_on_error: 'off',
  idle_session_timeout: '0',
  transaction_timeout: '0',
}

/** Settings of a group, such as `standin.team`, begin to exist when they are set. Older servers lack some of the others. */
const SET = `select current_setting('transaction_read_only') as is_read_only, (
  select count(set_config(name, value, false)) from unnest($1::text[], $2::text[]) as own (name, value)
  where name like '%.%' or current_setting(name, true) is not null)`

/** Of a standby whose role begins serializable transactions, which it does not have. */
const NO_SNAPSHOT = '0A000'

/** The server takes no writes. Its code is that of PostgreSQL for a statement that tried. */
class ReadOnlyServer extends Error {
  readonly code = '25006'

  constructor() {
    super('the server takes no writes: it is a standby, or default_transaction_read_only is on')
    this.name = 'ReadOnlyServer'
  }
}

export type SessionSettings = Readonly<Record<string, string>>

/** By the address of a pooler that lends a session for each transaction, such as PgBouncer's `pool_mode = transaction`. */
const lenders = new Map<string, SessionSettings>()
/** Settings that each transaction there has to set for itself. Undefined: sessions are kept. */
export const settingsOfLender = (url: string): SessionSettings | undefined => lenders.get(url)
/** Before a connection is opened there for work. */
export const rememberLender = (url: string, settings: SessionSettings): void => void lenders.set(url, settings)

/** Settings that a transaction has from its begin, so that none can set them for itself. */
export const SET_BEFORE = /^(?:default_transaction_|transaction_timeout)/

/** Settings that the code relies on and that a new session has otherwise, with the values that it needs. */
export async function settingsThatDiffer(client: pg.ClientBase): Promise<SessionSettings> {
  const { rows } = await client.query<{ name: string; value: string }>({
    text: `select name, value from unnest($1::text[], $2::text[]) as own (name, value)
      where current_setting(name, true) <> value and name <> 'idle_session_timeout'`,
    values: [Object.keys(RELIED_ON), Object.values(RELIED_ON)],
  })
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]))
}

/**
 * Prepares a new connection to the database at `url`. `more`: settings besides those that all rely on. Rejects with
 * ReadOnlyServer if the server takes no writes, and with the server's error if it refuses a setting.
 */
export async function enterSession(client: pg.ClientBase, url: string, more: SessionSettings = {}): Promise<void> {
  // Other connections get a session that is lent, with everything that was set there.
  const settings = settingsOfLender(url) ? {} : { ...RELIED_ON, ...more }
  const values = [Object.keys(settings), Object.values(settings)]
  const { rows } = await client.query<{ is_read_only: string }>({ text: SET, values }).catch((error) => {
    throw error.code === NO_SNAPSHOT ? new ReadOnlyServer() : error
  })
  if (rows[0]!.is_read_only === 'on') throw new ReadOnlyServer()
  // Parts that the types of the driver leave out.
  const { connection } = client as unknown as { connection: NodeJS.EventEmitter }
  connection.on('errorMessage', (error) => {
    if (isReadOnlyError(error)) reportReadOnly(url)
  })
}
