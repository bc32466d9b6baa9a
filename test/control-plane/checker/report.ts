/** Describes a run of the checker, for a note. */
import { sql } from 'kysely'
import type { Chaos } from './chaos.ts'

export async function reportOf(chaos: Chaos, run: { seed: number; seconds: number; found: string[] }): Promise<string> {
  const { happened, counts, older, received, database } = chaos
  const { rows } = await sql<{ name: string; count: number }>`
    select 'bots in a further attempt' as name, count(*) as count from bots where resumes > 0
    union all select 'bots with joined recordings', count(*) from bots where files_attempt = 0
    union all select 'bots that completed', count(*) from bots where status = 'completed'
    union all (select 'bots that failed: ' || coalesce(error_code, end_code), count(*) from bots where status = 'failed'
      group by 1 order by 2 desc)
    union all select 'events', count(*) from bot_events`.execute(database)
  const webhooks = new Set(received.map(({ id }) => id)).size
  const faults = [...Map.groupBy(happened, ({ name }) => name)].map(([name, times]) => {
    const seconds = times.reduce((sum, time) => sum + time.seconds, 0)
    return `| ${name} | ${times.length} | ${seconds.toFixed(0)} |`
  })
  const facts = [
    ...Object.entries(counts),
    ...rows.map(({ name, count }) => [name, count] as const),
    ['webhooks', webhooks],
    ['webhooks that were sent again', received.length - webhooks],
    ['violations', run.found.length],
  ].map(([name, count]) => `| ${name} | ${count} |`)
  return [
    `Seed ${run.seed}, ${run.seconds.toFixed(0)} s${older === null ? '' : `, older version ${older.commit}`}`,
    ...['', '| fault | times | seconds in all |', '| --- | --- | --- |', ...faults],
    ...['', '| what | count |', '| --- | --- |', ...facts],
    ...(await timelines(chaos, run.found)),
  ].join('\n')
}

/** Of the bots that the violations name. */
async function timelines({ database, host }: Chaos, found: string[]): Promise<string[]> {
  const ids = new Set(found.flatMap((text) => text.match(/[0-9a-f]{8}(?:-[0-9a-f]{4,12}){4}/g) ?? []))
  const lines = [...ids].map(async (id) => {
    const steps = await database.selectFrom('bot_steps').selectAll().where('bot_id', '=', id).orderBy('id').execute()
    const lives = host.of(id).map(({ attempt, startedAt, bot }) => ({ attempt, startedAt: new Date(startedAt), bot }))
    return ['', id, ...[...lives, ...steps].map((line) => JSON.stringify(line))].join('\n')
  })
  return Promise.all(lines)
}
