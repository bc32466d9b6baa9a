/**
 * Many bots of one team that are due in one instant, with a launcher that starts them without delay: how late each
 * start is. Bots that are admitted already, and scheduled ones, which are admitted when they are due. The plainest
 * program claims rows.
 */
import { sql } from 'kysely'
import type { Database } from '../../control-plane/store/database.ts'
import { sendHint } from '../../control-plane/store/wake-ups.ts'
import { BenchProcess } from './bench-process.ts'
import { type Figure, type Options, percentile, progress, until } from './measure.ts'
import { type Service, withService } from './service.ts'

const DUE_IN_SECONDS = 4
/** Scheduled bots are started ahead of their time, at most so much. */
const MAX_LEAD_SECONDS = 60
const PATIENCE_SECONDS = 300
const MEETING = { meeting_url: 'https://meet.google.com/abc-defg-hij', bot_name: 'Notes', allow_multiple_bots: true }

export async function measure({ isSmall }: Options): Promise<Figure[]> {
  const count = isSmall ? 500 : 10_000
  return withService({}, async (service) => {
    await service.start('api')
    const database = await service.openDatabase(1)
    const databaseUrl = await service.databaseUrl()
    const env = { BENCH_DATABASE: databaseUrl, BENCH_FOLDER: service.folder }
    const plain = await withProcess('plain-due.ts', env, database, (program) => plainLateness(program, database, count))
    const [admitted, scheduled] = await withProcess('due-launcher.ts', env, database, async (program) => [
      await admittedLateness(program, service, database, count),
      await scheduledLateness(program, service, database, count),
    ])
    await database.destroy()
    const figure = (what: string, late: number[]) => ({
      measure: `${count.toLocaleString('en-US')} ${what}: lateness of the start, 99th percentile`,
      value: percentile(late, 0.99),
      unit: 'ms',
      plain: percentile(plain, 0.99),
      goal: { ratioAtMost: 1.5 },
    })
    return [
      figure('admitted bots due in one instant', admitted!),
      figure('scheduled bots due in one instant, from the first admission', scheduled!),
    ]
  })
}

async function withProcess<T>(
  file: string,
  env: Record<string, string>,
  database: Database,
  work: (program: BenchProcess) => Promise<T>,
): Promise<T> {
  await sql`
    create table if not exists bench_jobs (id uuid primary key, due_at timestamptz not null, state text not null)
      with (fillfactor = 75)`.execute(database)
  await sql`create index if not exists bench_jobs_due on bench_jobs (due_at) where state = 'due'`.execute(database)
  const program = await BenchProcess.start(file, env)
  try {
    return await work(program)
  } finally {
    await program.end()
  }
}

/** Milliseconds of each, from the instant on. */
async function lateness(program: BenchProcess, dueAt: number, count: number): Promise<number[]> {
  await until(`${count} are started`, PATIENCE_SECONDS, async () => ((await program.ask('count')) as number) >= count)
  const started = (await program.ask('take')) as number[]
  const late = started.map((at) => at - dueAt)
  progress(`  50th, 99th, 100th percentile: ${[0.5, 0.99, 1].map((share) => percentile(late, share)).join(', ')} ms`)
  return late
}

async function plainLateness(program: BenchProcess, database: Database, count: number): Promise<number[]> {
  const { rows } = await sql<{ due_at: Date }>`
    insert into bench_jobs (id, due_at, state)
    select gen_random_uuid(), now() + make_interval(secs => ${DUE_IN_SECONDS}), 'due' from generate_series(1, ${count})
    returning due_at`.execute(database)
  return lateness(program, rows[0]!.due_at.getTime(), count)
}

async function admittedLateness(
  program: BenchProcess,
  service: Service,
  database: Database,
  count: number,
): Promise<number[]> {
  // Committed with its copies before they are due.
  const dueAt = new Date(Date.now() + 3_600_000)
  const { body } = await service.call('POST', '/v2/bots/scheduled', service.key, { ...MEETING, join_at: dueAt })
  const id = idOf(body)
  await sql`
    update bots set phase = 'due', status = 'queued', queued_at = now(), is_scheduled = false, schedule_status = null,
      join_at = null, give_up_at = now() + interval '1 day' where id = ${id}`.execute(database)
  await copy(database, id, count)
  const soon = await setDue(database, 'due', DUE_IN_SECONDS)
  const late = await lateness(program, soon, count)
  await forget(database)
  return late
}

async function scheduledLateness(
  program: BenchProcess,
  service: Service,
  database: Database,
  count: number,
): Promise<number[]> {
  const joinAt = new Date(Date.now() + 3_600_000)
  const { body } = await service.call('POST', '/v2/bots/scheduled', service.key, { ...MEETING, join_at: joinAt })
  await copy(database, idOf(body), count)
  await setDue(database, 'scheduled', MAX_LEAD_SECONDS + DUE_IN_SECONDS)
  const first = async () => {
    const { rows } = await sql<{ at: Date | null }>`
      select min(queued_at) as at from bots where is_scheduled and phase <> 'closed'`.execute(database)
    return rows[0]!.at
  }
  await until('the first bot is admitted', PATIENCE_SECONDS, async () => (await first()) !== null)
  const late = await lateness(program, (await first())!.getTime(), count)
  await forget(database)
  return late
}

const idOf = (body: { data?: { bot_id?: string } } | null): string => {
  if (!body?.data?.bot_id) throw new Error(`The bot was refused: ${JSON.stringify(body)}`)
  return body.data.bot_id
}

/** Rows like this one, `count` with it. */
async function copy(database: Database, id: string, count: number): Promise<void> {
  const { rows } = await sql<{ names: string }>`
    select string_agg(quote_ident(column_name), ', ') as names from information_schema.columns
    where table_name = 'bots' and table_schema = 'public' and column_name not in ('id', 'number')`.execute(database)
  const names = sql.raw(rows[0]!.names)
  await sql`
    insert into bots (id, ${names}) select gen_random_uuid(), ${names}
    from bots, generate_series(2, ${count}) where id = ${id}`.execute(database)
}

/** UTC milliseconds. */
async function setDue(database: Database, phase: string, seconds: number): Promise<number> {
  const { rows } = await sql<{ due_at: Date }>`
    update bots set due_at = now() + make_interval(secs => ${seconds}),
      join_at = case when is_scheduled then now() + make_interval(secs => ${seconds}) end
    where phase = ${phase} returning due_at`.execute(database)
  // As the service does after its own commits; without it a row is found within ten seconds.
  await sendHint(database, 'bots')
  return rows[0]!.due_at.getTime()
}

/** Bots that never report would later be started again. */
async function forget(database: Database): Promise<void> {
  await until('every start is stored', PATIENCE_SECONDS, async () => {
    const { rows } = await sql`select from bots where phase = 'launching' limit 1`.execute(database)
    return rows.length === 0
  })
  await sql`update bots set phase = 'closed' where phase <> 'closed'`.execute(database)
  await sql`update launches set cleaned_at = now() where cleaned_at is null`.execute(database)
}
