/** A connection that remembers its statements, and PostgreSQL's plans for them. */
import type { Tables } from '@standin/control-plane/store/rows/index.ts'
import { CompiledQuery, Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'

export function openExplained(connectionString: string, pool = new pg.Pool({ connectionString, max: 1 })) {
  let asked: CompiledQuery[] = []
  const database = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool }),
    log: ({ query }) => void asked.push(query),
  })
  /** The rows of `explain` for each statement that the work sends. */
  async function explained<Plan = string>(work: () => Promise<unknown>, options = 'costs off') {
    asked = []
    await work()
    const plans: { text: string; plan: Plan[] }[] = []
    for (const { sql: text, parameters } of asked.filter(({ sql }) =>
      /^\s*(?:\/\*.*\*\/)?\s*(?:select|with|update)/.test(sql),
    )) {
      const query = CompiledQuery.raw(`explain (${options}) ${text}`, [...parameters])
      const { rows } = await database.executeQuery<{ 'QUERY PLAN': Plan }>(query)
      plans.push({ text, plan: rows.map((row) => row['QUERY PLAN']) })
    }
    if (plans.length === 0) throw new Error('No statement was sent')
    return plans
  }
  const plansOf = async (work: () => Promise<unknown>) =>
    (await explained(work)).map(({ plan }) => plan.join('\n')).join('\n\n')
  return { database, explained, plansOf }
}
