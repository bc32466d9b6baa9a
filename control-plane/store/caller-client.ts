/**
 * Connections whose settings travel with each statement, or with the one that begins a transaction, in the same round trip. They
 * hold until the transaction of that statement ends, so no connection carries them to the next one.
 *
 * So do role and team of a caller: PostgreSQL shows the rows of one team only (`row-security.ts`), that of the request. Where a
 * pooler lends a session for each transaction, so do the other settings of a pool.
 */
import pg from 'pg'
import { actingTeam } from './audit-log.ts'
import { frequentStatements, PreparingClient, statementOf } from './prepared.ts'
import type { SessionSettings } from './session.ts'

/** Prepared once for each connection. */
const ENTER = 'enter_team'

/** The id of no team. */
const NO_TEAM = '00000000-0000-0000-0000-000000000000'

/** Parts of the driver's query that its types leave out. */
interface SentQuery extends pg.Submittable {
  callback: (error: Error | null, result: unknown) => void
  prepare(connection: pg.Connection): void
  handleDataRow(message: unknown): void
  handleCommandComplete(message: unknown, connection: pg.Connection): void
}
const SentQuery = pg.Query as unknown as new (config: object) => SentQuery

class QueryWithSettings extends SentQuery {
  readonly #values: readonly string[]
  #isEntered = false

  constructor(config: object, values: readonly string[]) {
    super({ ...config, queryMode: 'extended' })
    this.#values = values
  }

  /** Before the statement itself, and before the message that ends the transaction of both. */
  override prepare(connection: pg.Connection): void {
    connection.bind({ statement: ENTER, values: [...this.#values] }, true)
    connection.execute({}, true)
    super.prepare(connection)
  }

  override handleDataRow(message: unknown): void {
    if (this.#isEntered) super.handleDataRow(message)
  }

  override handleCommandComplete(message: unknown, connection: pg.Connection): void {
    if (this.#isEntered) super.handleCommandComplete(message, connection)
    this.#isEntered = true
  }
}

interface Travelling {
  /** Of callers. Null: the tables' owner. */
  callerRole: string | null
  /** Frequent statements of callers are prepared, as planning with row security takes up to twice as long; not these. */
  isPlannedByTeam: boolean
  /** Null: the session keeps them. */
  settings: SessionSettings | null
}

/**
 * Parts of a pool. Where the session keeps its settings, the role of callers is among them: a statement without a team finds no
 * rows.
 */
export function travellingPool({ callerRole, isPlannedByTeam, settings }: Travelling) {
  const isFrequent = callerRole === null || isPlannedByTeam ? () => undefined : frequentStatements()
  const names = [...Object.keys(settings ?? {}), ...(callerRole === null ? [] : ['role', 'standin.team'])]
  const valuesFor = (team: () => string) => [
    ...Object.values(settings ?? {}),
    ...(callerRole === null ? [] : [callerRole, team()]),
  ]
  class TravellingClient extends PreparingClient {
    override query(...parts: unknown[]): never {
      const [text, values] = parts
      if (typeof text !== 'string') {
        if (settings !== null && typeof (text as { submit?: unknown }).submit === 'function')
          throw new Error('A cursor cannot be opened on a session that is lent for one transaction')
        return super.query(...parts)
      }
      const statement = statementOf(text, values, isFrequent(text))
      if (this.getTransactionStatus() !== 'I') return super.query(statement)
      const query = new QueryWithSettings(statement, valuesFor(actingTeam))
      return new Promise((resolve, reject) => {
        query.callback = (error, result) => (error ? reject(error) : resolve(result))
        super.query(query)
      }) as never
    }
  }
  const session: SessionSettings =
    settings === null && callerRole !== null ? { role: callerRole, 'standin.team': NO_TEAM } : {}
  const list = names.map((name, index) => `set_config('${name}', $${index + 1}, true)`).join(', ')
  return {
    Client: TravellingClient,
    session,
    onConnect: (client: pg.ClientBase) =>
      client.query({ name: ENTER, text: `select ${list}`, values: valuesFor(() => NO_TEAM) }),
  }
}
