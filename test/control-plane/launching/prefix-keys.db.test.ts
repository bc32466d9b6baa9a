/** Bots whose files are in a bucket with STS: each attempt has its own keys, or does not start. */
import type { Job } from '@standin/wire/job.ts'
import { expect, test } from 'vitest'
import type { Launcher, PrefixKeys } from '../../../control-plane/platform/ports.ts'
import { openWorld } from '../world.ts'
import { createSimulatedLauncher } from './simulated.ts'

const LONG = { timeout: 50_000, interval: 50 }

const world = await openWorld({ launching: true })

async function setting(prefixKeys: PrefixKeys) {
  const base = await world.launchingSetting()
  const jobs: Job[] = []
  const simulated = createSimulatedLauncher(base.host.url)
  const launcher: Launcher = {
    ...simulated,
    async start(spec) {
      jobs.push(spec.job)
      // The simulated bot writes into a folder.
      const storage = base.files.jobStorage(spec.botId, spec.attempt)
      return simulated.start({ ...spec, job: { ...spec.job, storage } })
    },
  }
  const jobStorage = () => ({
    ...{ type: 's3' as const, bucket: 'recordings', prefix: '', checksums: 'when_required' as const },
    ...{ spool_limit_mb: 2048, tail_seconds: 2, access_key_id: 'OPERATOR', secret_access_key: 'secret-of-operator' },
  })
  const files = { ...base.files, jobStorage, prefixKeys }
  return { ...base, jobs, launch: () => base.launching({ launcher, files }) }
}

test('the job has the keys of its attempt in place of those of the service', async () => {
  const { jobs, launch, bot, row, logged } = await setting(async (botId, attempt) => ({
    access_key_id: `ASIA-${botId}-${attempt}`,
    secret_access_key: 'secret-of-the-bot',
    session_token: 'token-of-the-bot',
    keys_end_at: '2026-11-21T11:00:00.000Z',
  }))
  launch()
  const botId = await bot()
  await expect.poll(async () => (await row(botId)).status, LONG).toBe('completed')
  expect(jobs[0]!.storage).toMatchObject({
    ...{ bucket: 'recordings', access_key_id: `ASIA-${botId}-1`, secret_access_key: 'secret-of-the-bot' },
    ...{ session_token: 'token-of-the-bot', keys_end_at: '2026-11-21T11:00:00.000Z' },
  })
  expect(JSON.stringify(jobs)).not.toContain('OPERATOR')
  const { rows } = await world.database.executeQuery<object>({
    ...{ sql: 'select * from launches', parameters: [], query: { kind: 'RawNode' } },
  } as never)
  for (const place of [logged, rows]) expect(JSON.stringify(place)).not.toMatch(/(?:secret|token)-of-the-bot/)
})

test('a bot without keys is tried again, and says what is wrong', async () => {
  const refusal = 'STS refuses the role of STANDIN_STORAGE_ROLE (AccessDenied)'
  let isRefused = true
  const { jobs, launch, bot, row, steps } = await setting(async () => {
    if (isRefused) throw new Error(refusal)
    return {
      access_key_id: 'ASIA1',
      secret_access_key: 'secret',
      session_token: 'token',
      keys_end_at: '2026-11-21T11:00:00.000Z',
    }
  })
  launch()
  const botId = await bot()
  await expect.poll(() => steps(botId), LONG).toContainEqual({ kind: 'launch_failed', reason: refusal })
  expect(jobs).toEqual([])
  isRefused = false
  await expect.poll(async () => (await row(botId)).status, LONG).toBe('completed')
})

test('a bot that never gets keys ends with the reason', async () => {
  const refusal = 'STS refuses the role of STANDIN_STORAGE_ROLE (AccessDenied)'
  const { jobs, launch, bot, row } = await setting(async () => Promise.reject(new Error(refusal)))
  const botId = await bot()
  await world.set(botId, { give_up_at: new Date() })
  launch()
  await expect.poll(async () => (await row(botId)).status, LONG).toBe('failed')
  const { error_code, error_message } = await row(botId)
  expect({ error_code, error_message }).toEqual({
    error_code: 'INTERNAL_ERROR',
    error_message: expect.stringContaining('STANDIN_STORAGE_ROLE'),
  })
  expect(jobs).toEqual([])
})
