import { randomUUID } from 'node:crypto'
import { createJobHandler } from '@standin/control-plane/control-link/job-address.ts'
import { createJobOffers } from '@standin/control-plane/launching/due/job-offers.ts'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { plainJob } from '../launching/launchers/launcher-contract.ts'
import { openWorld, quiet, seals } from '../world.ts'

const world = await openWorld({ launching: true })

const LINK = 'wss://bots.example.com/standin/link'

async function setting() {
  const { bot, database } = await world.launchingSetting()
  const offers = createJobOffers({ database, seals, linkUrl: LINK })
  const handle = createJobHandler({ database, seals, log: quiet })
  const botId = await bot()
  const job = plainJob({ bot_id: botId, extra: { note: 'secret-of-the-job' } })
  return {
    database,
    offers,
    job,
    botId,
    spec: { botId, attempt: 1, job },
    ask: (token: string | null, attempt: number | string = 1) =>
      handle({ path: `/job/${botId}/${attempt}`, authorization: token === null ? undefined : `Bearer ${token}` }),
  }
}

test('the address of a job is beside the control link', async () => {
  const { offers, botId } = await setting()
  expect(offers.addressOf(botId, 3)).toBe(`https://bots.example.com/standin/job/${botId}/3`)
})

test('a job is given once, also to many who ask at the same time', async () => {
  const { offers, spec, job, ask } = await setting()
  await offers.offer(spec, 'token')
  const answers = await Promise.all(Array.from({ length: 8 }, () => ask('token')))
  const given = answers.filter(({ status }) => status === 200)
  expect(given).toHaveLength(1)
  expect(JSON.parse(given[0]!.body)).toEqual(job)
  expect(given[0]!.headers['cache-control']).toBe('no-store')
  expect(answers.filter(({ status }) => status === 410)).toHaveLength(7)
  expect((await ask('token')).status).toBe(410)
})

test('neither token nor job stand readable in the database, and the job goes when it is taken', async () => {
  const { offers, spec, ask, database } = await setting()
  await offers.offer(spec, 'token-of-the-attempt')
  const all = async () => {
    const { rows } = await sql<{ row: string; has_job: boolean }>`
      select job_offers::text || encode(coalesce(job, ''), 'escape') as row, job is not null as has_job
      from job_offers where bot_id = ${spec.botId}`.execute(database)
    return rows[0]!
  }
  expect((await all()).row).not.toMatch(/secret-of-the-job|token-of-the-attempt/)
  expect((await all()).has_job).toBe(true)
  await ask('token-of-the-attempt')
  expect((await all()).has_job).toBe(false)
})

test('another token, another attempt, another bot and no token get nothing, and use nothing up', async () => {
  const { offers, spec, ask } = await setting()
  const other = await setting()
  await offers.offer(spec, 'token')
  await other.offers.offer(other.spec, 'other')
  expect((await ask('other')).status).toBe(401)
  expect((await ask(null)).status).toBe(401)
  expect((await ask('token', 2)).status).toBe(404)
  for (const attempt of ['0', '1/x', '9999999999', "1' or 1"]) expect((await ask('token', attempt)).status).toBe(404)
  expect((await other.ask('token')).status).toBe(401)
  expect((await ask('token')).status).toBe(200)
})

test('an offer ends with its time, when it is withdrawn, and when another takes its place', async () => {
  const { offers, spec, ask, database } = await setting()
  await offers.offer(spec, 'late')
  await sql`update job_offers set expires_at = now() where bot_id = ${spec.botId}`.execute(database)
  expect((await ask('late')).status).toBe(410)

  await offers.offer(spec, 'first')
  await offers.offer(spec, 'second')
  expect((await ask('first')).status).toBe(401)
  expect((await ask('second')).status).toBe(200)

  await offers.offer(spec, 'third')
  await offers.withdraw(spec.botId, 1)
  expect((await ask('third')).status).toBe(404)
})

test('offers that no bot fetched are removed by later ones', async () => {
  const { offers, spec, database } = await setting()
  await offers.offer(spec, 'token')
  await sql`update job_offers set expires_at = now() - interval '2 hours' where bot_id = ${spec.botId}`.execute(
    database,
  )
  const later = await setting()
  await later.offers.offer(later.spec, randomUUID())
  const { rows } = await sql`select 1 from job_offers where bot_id = ${spec.botId}`.execute(database)
  expect(rows).toEqual([])
})
