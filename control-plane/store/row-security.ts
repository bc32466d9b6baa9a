/**
 * The second wall between teams. Requests of callers use a role to which PostgreSQL shows the rows of one team only, so that
 * a statement that forgets the team finds nothing. All other work uses the tables' owner, who sees every row.
 */
import { sql } from 'kysely'
import { type Database, inTransaction, type Tx } from './database.ts'

export interface CallerRole {
  /** Null: it cannot be used. */
  role: string | null
  /** A sentence for the operator. */
  problem: string | null
}

/** Makes the role where it is missing, with its privileges, and tries it. Each database of a server has a separate one. */
export async function prepareCallerRole(db: Database): Promise<CallerRole> {
  const { rows } = await sql<{ role: string; user: string }>`
    select 'standin_caller_' || oid as role, quote_ident(current_user) as user
    from pg_database where datname = current_database()`.execute(db)
  const { role, user } = rows[0]!
  try {
    await inTransaction(db, (tx) => makeRole(tx, role))
    await inTransaction(db, (tx) => tryRole(tx, role))
    return { role, problem: null }
  } catch (error) {
    const cure = `an administrator of the database has to run "create role ${role}; grant ${role} to ${user}" before the next start`
    return { role: null, problem: `Row security is not used (${(error as Error).message}): ${cure}` }
  }
}

async function makeRole(tx: Tx, name: string): Promise<void> {
  const role = sql.id(name)
  // Processes that start at the same time wait for each other.
  await sql`select pg_advisory_xact_lock(hashtext(${name}))`.execute(tx)
  const { rows: roles } = await sql`select from pg_roles where rolname = ${name}`.execute(tx)
  if (roles.length === 0) {
    await sql`create role ${role} nologin`.execute(tx)
    await sql`grant ${role} to current_user`.execute(tx)
  }
  const { rows } = await sql<{ schema: string; tables: string[] | null }>`
    select current_schema() as schema, array_agg(relname::text) as tables from pg_class
    where relnamespace = current_schema()::regnamespace and relrowsecurity
      and not has_table_privilege(${name}, oid, 'delete')`.execute(tx)
  const { schema, tables } = rows[0]!
  if (tables === null) return
  await sql`grant usage on schema ${sql.id(schema)} to ${role}`.execute(tx)
  await sql`grant select, insert, update, delete on ${sql.join(tables.map((table) => sql.id(table)))} to ${role}`.execute(
    tx,
  )
}

async function tryRole(tx: Tx, name: string): Promise<void> {
  await sql`select set_config('role', ${name}, true), set_config('standin.team', gen_random_uuid()::text, true)`.execute(
    tx,
  )
  const { rows } = await sql<{ active: boolean }>`select row_security_active('bots') as active from bots
    right join (select) one on false`.execute(tx)
  if (!rows[0]!.active) throw new Error(`the role ${name} bypasses it`)
}
