/**
 * Connections that answer callers. PostgreSQL shows them the rows of one team only (`row-security.ts`): that of the request.
 * Role and team travel with each statement, or with the one that begins a transaction, in the same round trip. They hold until
 * the transaction of that statement ends, so no connection carries them to the next request.
 */
import pg from 'pg'
import { actingTeam } from './audit-log.ts'
import { frequentStatements, PreparingClient, statementOf } from './prepared.ts'

/** Prepared once for each connection. */
const ENTER = {
  name: 'enter_team',
  text: `select set_config('role', $1, true), set_config('standin.team', $2, true)`,
}

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

class QueryOfTeam extends SentQuery {
  readonly #values: readonly string[]
  #isEntered = false

  constructor(config: object, values: readonly string[]) {
    super({ ...config, queryMode: 'extended' })
    this.#values = values
  }

  /** Before the statement itself, and before the message that ends the transaction of both. */
  override prepare(connection: pg.Connection): void {
    connection.bind({ statement: ENTER.name, values: [...this.#values] }, true)
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

/**
 * Parts of a pool for callers. Their role is also that of the session: a statement without a team finds no rows. Planning
 * with row security takes up to twice as long, so frequent statements are prepared, except those that need a plan for each team.
 */
export function callerPool(role: string, isPlannedByTeam = false) {
  const isFrequent = frequentStatements()
  class CallerClient extends PreparingClient {
    override query(...parts: unknown[]): never {
      const [text, values] = parts
      if (typeof text !== 'string') return super.query(...parts)
      const statement = isPlannedByTeam ? statementOf(text, values) : statementOf(text, values, isFrequent(text))
      if (this.getTransactionStatus() !== 'I') return super.query(statement)
      const query = new QueryOfTeam(statement, [role, actingTeam()])
      return new Promise((resolve, reject) => {
        query.callback = (error, result) => (error ? reject(error) : resolve(result))
        super.query(query)
      }) as never
    }
  }
  return {
    Client: CallerClient,
    session: { role, 'standin.team': NO_TEAM },
    onConnect: (client: pg.ClientBase) => client.query({ ...ENTER, values: [role, NO_TEAM] }),
  }
}
