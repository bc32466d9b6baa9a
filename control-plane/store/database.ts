/** The connection pool of one role. `bigint` and `numeric` columns come as numbers: all of ours fit into 53 bits. */
import {
  type DatabaseConnection,
  Kysely,
  PostgresDialect,
  PostgresDriver,
  type PostgresPool,
  sql,
  type Transaction,
} from 'kysely'
import pg from 'pg'
import { callerPool } from './caller-client.ts'
import { PreparingClient } from './prepared.ts'
import type { Tables } from './rows/index.ts'

export type Database = Kysely<Tables>
export type Tx = Transaction<Tables>

const BIGINT = 20
const NUMERIC = 1700
const types = {
  getTypeParser: (id: number, format?: 'text' | 'binary') =>
    id === BIGINT || id === NUMERIC ? Number : pg.types.getTypeParser(id, format as 'text'),
} as pg.CustomTypesConfig

export interface PoolSettings {
  url: string
  /** Shown by `pg_stat_activity`. */
  role: string
  connections: number
  /** Of one statement; longer ones are cancelled. */
  statementTimeoutMs?: number
  /**
   * For a pool that works a queue off, or reads pages of lists. PostgreSQL would read and sort all rows for the first few
   * if it estimates few of them, or many of one team; the indexes hold them in their order. One core for a statement.
   */
  readsByIndex?: boolean
  /** For requests of callers: the role that sees the rows of their team only. Null or absent: the tables' owner. */
  callerRole?: string | null
  /** Called after each commit that made webhook deliveries due (`wakeDispatcher`). */
  onDeliveries?: () => void
  /**
   * Called with a function that reads the pool's counts. The returned function gets the seconds that each acquire
   * waited.
   */
  watch?: (counts: () => PoolCounts) => (seconds: number) => void
  /** Called when an idle connection breaks; the pool replaces it. */
  onError?: (error: Error) => void
}

export interface PoolCounts {
  used: number
  idle: number
  /** Requests that wait for a connection. */
  waiting: number
}

export const READS_BY_INDEX = ['enable_seqscan', 'enable_bitmapscan', 'max_parallel_workers_per_gather']
  .map((setting) => `-c ${setting}=0`)
  .join(' ')

export function openDatabase(settings: PoolSettings): Database {
  const statementTimeout = settings.statementTimeoutMs ?? 15_000
  const { options = '', ...asCaller } = settings.callerRole
    ? callerPool(settings.callerRole, settings.readsByIndex)
    : {}
  const pool = new pg.Pool({
    connectionString: settings.url,
    application_name: `standin ${settings.role}`,
    max: settings.connections,
    min: Math.min(1, settings.connections),
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 0,
    keepAlive: true,
    types,
    Client: PreparingClient,
    ...asCaller,
    options: settings.readsByIndex ? `${READS_BY_INDEX} ${options}` : options,
    statement_timeout: statementTimeout,
    lock_timeout: Math.min(statementTimeout, 10_000),
    idle_in_transaction_session_timeout: 30_000,
  })
  pool.on('error', (error) => settings.onError?.(error))
  // The pool listens to idle connections only; one that breaks inside a transaction would end the process otherwise.
  pool.on('connect', (client) => client.on('error', () => {}))
  const { onDeliveries = () => {} } = settings
  const config = { pool: watched(pool, settings.watch) }
  const dialect = new PostgresDialect(config)
  dialect.createDriver = () => new WakingDriver(config, onDeliveries)
  const database = new Kysely<Tables>({ dialect })
  wakeUps.set(database, onDeliveries)
  return database
}

/** Rejects if the server cannot be reached, or refuses the user. */
export const reachDatabase = (db: Database): Promise<unknown> => sql`select 1`.execute(db)

/** Does the work in the given transaction, or else in a separate one. */
export function inTransaction<T>(db: Database | Tx, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.isTransaction ? work(db as Tx) : db.transaction().execute(work)
}

const wakeUps = new WeakMap<Kysely<Tables>, () => void>()
/** Connections whose open transaction has made deliveries due. */
const connectionsToWake = new WeakSet<DatabaseConnection>()

/** Call after a statement that made webhook deliveries due. Wakes the dispatcher now, or after the commit of a transaction. */
export async function wakeDispatcher(db: Database | Tx): Promise<void> {
  if (db.isTransaction) await db.getExecutor().provideConnection(async (used) => void connectionsToWake.add(used))
  else wakeUps.get(db)?.()
}

class WakingDriver extends PostgresDriver {
  readonly #onDeliveries: () => void

  constructor(config: ConstructorParameters<typeof PostgresDriver>[0], onDeliveries: () => void) {
    super(config)
    this.#onDeliveries = onDeliveries
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    const wakes = connectionsToWake.delete(connection)
    await super.commitTransaction(connection)
    if (wakes) this.#onDeliveries()
  }

  override async rollbackTransaction(connection: Parameters<PostgresDriver['rollbackTransaction']>[0]): Promise<void> {
    connectionsToWake.delete(connection)
    await super.rollbackTransaction(connection)
  }
}

function watched(pool: pg.Pool, watch: PoolSettings['watch']): pg.Pool | PostgresPool {
  if (watch === undefined) return pool
  const onWaited = watch(() => ({
    used: pool.totalCount - pool.idleCount,
    idle: pool.idleCount,
    waiting: pool.waitingCount,
  }))
  return {
    async connect() {
      const askedAt = performance.now()
      const client = await pool.connect()
      onWaited((performance.now() - askedAt) / 1000)
      return client
    },
    end: () => pool.end(),
    options: pool.options,
  }
}
