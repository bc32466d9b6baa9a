/** The plainest launcher: four loops that claim 100 rows each tenth of a second, and write a second time for each row. */
import pg from 'pg'

const LOOPS = 4
const CLAIM = 100
const TICK_MS = 100
const pool = new pg.Pool({ connectionString: process.env.BENCH_DATABASE, max: 10 })
const started: number[] = []

async function loop(): Promise<void> {
  for (;;) {
    const { rows } = await pool.query({
      name: 'claim',
      text: `
        update bench_jobs set state = 'starting' from (
          select id from bench_jobs where state = 'due' and due_at <= now()
          order by due_at limit ${CLAIM} for update skip locked) chosen
        where bench_jobs.id = chosen.id returning bench_jobs.id`,
    })
    await Promise.all(
      rows.map(async ({ id }) => {
        started.push(Date.now())
        const text = `update bench_jobs set state = 'started' where id = $1`
        await pool.query({ name: 'started', text, values: [id] })
      }),
    )
    if (rows.length === 0) await new Promise((resolve) => setTimeout(resolve, TICK_MS))
  }
}

for (let number = 0; number < LOOPS; number++) void loop()
process.send!({ port: 0 })
process.on('message', (what) => process.send!(what === 'count' ? started.length : started.splice(0)))
process.on('disconnect', () => process.exit())
