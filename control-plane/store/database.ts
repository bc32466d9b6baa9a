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
import { travellingPool } from './caller-client.ts'
import { isGivenUp } from './moved-database.ts'
import { PreparingClient } from './prepared.ts'
import type { Tables } from './rows/index.ts'
import { enterSession, type SessionSettings, settingsOfLender } from './session.ts'

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

const READS_BY_INDEX: SessionSettings = {
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  max_parallel_workers_per_gather: '0',
}

export function openDatabase(settings: PoolSettings): Database {
  const { onDeliveries = () => {} } = settings
  const config = { pool: currentConnections(openPool(settings), settings) }
  const dialect = new PostgresDialect(config)
  dialect.createDriver = () => new WakingDriver(config, onDeliveries)
  const database = new Kysely<Tables>({ dialect })
  wakeUps.set(database, onDeliveries)
  return database
}

export function openPool(settings: Omit<PoolSettings, 'watch' | 'onDeliveries'>): pg.Pool {
  const { url, role, connections, callerRole = null, readsByIndex = false, statementTimeoutMs = 15_000 } = settings
  const own = {
    statement_timeout: String(statementTimeoutMs),
    lock_timeout: String(Math.min(statementTimeoutMs, 10_000)),
    idle_in_transaction_session_timeout: '30000',
    ...(readsByIndex && READS_BY_INDEX),
  }
  const lent = settingsOfLender(url)
  const { Client, session, onConnect } =
    callerRole || lent
      ? travellingPool({ callerRole, isPlannedByTeam: readsByIndex, settings: lent ? { ...lent, ...own } : null })
      : { Client: PreparingClient }
  const pool = new pg.Pool({
    connectionString: url,
    application_name: `standin ${role}`,
    max: connections,
    min: Math.min(1, connections),
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 0,
    keepAlive: true,
    types,
    Client,
    async onConnect(client) {
      await enterSession(client, url, { ...own, ...session })
      await onConnect?.(client)
    },
  })
  pool.on('error', (error) => settings.onError?.(error))
  // The pool listens to idle connections only; one that breaks inside a transaction would end the process otherwise.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
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

/** The pool without connections that lead to a server which takes no writes any more. */
function currentConnections(pool: pg.Pool, { url, watch }: PoolSettings): PostgresPool {
  const madeAt = new WeakMap<pg.PoolClient, number>()
  pool.on('connect', (client) => madeAt.set(client, performance.now()))
  const onWaited = watch?.(() => ({
    used: pool.totalCount - pool.idleCount,
    idle: pool.idleCount,
    waiting: pool.waitingCount,
  }))
  return {
    async connect() {
      const askedAt = performance.now()
      let client = await pool.connect()
      while (isGivenUp(url, madeAt.get(client)!)) {
        client.release(true)
        client = await pool.connect()
      }
      onWaited?.((performance.now() - askedAt) / 1000)
      return client
    },
    end: () => pool.end(),
    options: pool.options,
  }
}
