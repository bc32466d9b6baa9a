/** Leases of rows: who holds a row, and until when by the database's clock. */
import { type RawBuilder, sql } from 'kysely'
import type { Database } from './database.ts'

export interface Claim {
  owner: string
  leaseSeconds: number
}

/** The row's id, or what is true of it alone in a table without ids. */
type Row = string | RawBuilder<boolean>

/** The lease in the columns `<name>_owner` and `<name>_until`. `rest` is what else has to be true of the row. */
export class RowLease {
  readonly #table: RawBuilder<unknown>
  readonly #owner: RawBuilder<unknown>
  readonly #until: RawBuilder<unknown>
  readonly isFree: RawBuilder<boolean>

  constructor(table: string, name = 'lease') {
    this.#table = sql.table(table)
    this.#owner = sql.ref(`${name}_owner`)
    this.#until = sql.ref(`${name}_until`)
    this.isFree = sql<boolean>`(${this.#until} is null or ${this.#until} < now())`
  }

  /** Assignments for the `set` of an update that acquires rows. */
  acquired({ owner, leaseSeconds }: Claim): RawBuilder<unknown> {
    return sql`${this.#owner} = ${owner}, ${this.#until} = now() + make_interval(secs => ${leaseSeconds})`
  }

  /** False if another holds the row. */
  acquire(db: Database, row: Row, claim: Claim, rest: RawBuilder<unknown> = sql`true`): Promise<boolean> {
    return this.#update(db, row, this.acquired(claim), sql`${this.isFree} and ${rest}`)
  }

  /** False if the lease was lost. */
  renew(db: Database, row: Row, claim: Claim): Promise<boolean> {
    return this.#update(db, row, this.acquired(claim), sql`${this.#owner} = ${claim.owner}`)
  }

  /** Gives the row back after `seconds`. */
  async release(
    db: Database,
    row: Row,
    owner: string,
    seconds = 0,
    rest: RawBuilder<unknown> = sql`true`,
  ): Promise<void> {
    const until = seconds === 0 ? sql`null` : sql`now() + make_interval(secs => ${seconds})`
    const ended = sql`${this.#owner} = null, ${this.#until} = ${until}`
    await this.#update(db, row, ended, sql`${this.#owner} = ${owner} and ${rest}`)
  }

  async #update(db: Database, row: Row, set: RawBuilder<unknown>, where: RawBuilder<unknown>): Promise<boolean> {
    const isRow = typeof row === 'string' ? sql`id = ${row}::uuid` : row
    const { numAffectedRows } = await sql`
      update ${this.#table} set ${set} where ${isRow} and ${where}`.execute(db)
    return numAffectedRows === 1n
  }
}
