/** The probes themselves; `wiring/service.test.ts` compares the processes. */
import { createProbes, type ProbeSettings } from '@standin/control-plane/platform/watching/probes.ts'
import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { openDatabase } from '../../../../control-plane/store/database.ts'
import { openTestDatabase } from '../../postgres.ts'

const db = await openTestDatabase()

async function readiness(settings: Partial<ProbeSettings>) {
  const probes = createProbes({ database: db.database, metrics: new Registry(), ...settings })
  const { status, body } = await probes['/readyz']!()
  return { status, body: JSON.parse(body) }
}

test('readiness names every check and every warning', async () => {
  const settings = { readiness: { keyring: async () => {} }, warnings: { log: () => null, disk: () => 'nearly full' } }
  expect(await readiness(settings)).toEqual({
    status: 200,
    body: { status: 'ready', checks: { database: 'ok', keyring: 'ok' }, warnings: { disk: 'nearly full' } },
  })
})

test('is 503 with the reason if a check fails', async () => {
  const keyring = () => Promise.reject(new Error('A secret key is missing'))
  expect(await readiness({ readiness: { keyring } })).toEqual({
    status: 503,
    body: { status: 'not ready', checks: { database: 'ok', keyring: 'A secret key is missing' }, warnings: {} },
  })
})

test('a check without an answer fails after three seconds', async () => {
  const begun = performance.now()
  const found = await readiness({ readiness: { recordings: () => new Promise(() => {}) } })
  expect(found).toMatchObject({ status: 503, body: { checks: { recordings: 'no answer within 3 s' } } })
  expect(performance.now() - begun).toBeGreaterThan(2900)
})

test('is 503 without a database, and names no address of it; the process is alive', async () => {
  const gone = openDatabase({ url: 'postgres://nobody:password@127.0.0.1:1/none', role: 'test', connections: 1 })
  const probes = createProbes({ database: gone, metrics: new Registry() })
  expect(await probes['/readyz']!()).toMatchObject({ status: 503, body: expect.not.stringMatching(/password|127/) })
  expect((await probes['/healthz']!()).status).toBe(200)
  expect((await probes['/metrics']!()).status).toBe(200)
  await gone.destroy()
})
