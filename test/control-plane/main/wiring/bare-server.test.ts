import type { AddressInfo } from 'node:net'
import { createBareServer } from '@standin/control-plane/main/wiring/bare-server.ts'
import { expect, onTestFinished, test } from 'vitest'
import type { JobHandler } from '../../../../control-plane/platform/ports.ts'

async function open(jobs: JobHandler | null = null, probes: Parameters<typeof createBareServer>[0] = {}) {
  const server = createBareServer(probes, jobs)
  await server.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => server.close())
  return `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`
}

test('a process with control links and no API gives containers their jobs', async () => {
  const asked: unknown[] = []
  const url = await open(async (request) => {
    asked.push(request)
    return { status: 410, headers: { 'cache-control': 'no-store' }, body: 'gone' }
  })
  const answer = await fetch(`${url}/job/a/1?x=1`, { headers: { authorization: 'Bearer token', connection: 'close' } })
  expect([answer.status, answer.headers.get('cache-control'), await answer.text()]).toEqual([410, 'no-store', 'gone'])
  expect(asked).toEqual([{ path: '/job/a/1', authorization: 'Bearer token' }])
  expect((await fetch(`${url}/job/a/1`, { method: 'POST', headers: { connection: 'close' } })).status).toBe(404)
})

test('where the job cannot be looked up the answer asks the bot to try again', async () => {
  const url = await open(() => Promise.reject(new Error('the database is away at postgres://secret')))
  const answer = await fetch(`${url}/job/a/1`, { headers: { connection: 'close' } })
  expect(answer.status).toBe(503)
  expect(await answer.text()).not.toContain('secret')
})

test('a process without control links has no jobs', async () => {
  const url = await open()
  expect((await fetch(`${url}/job/a/1`, { headers: { connection: 'close' } })).status).toBe(404)
})

test('a probe that fails answers 500 without its reason', async () => {
  const url = await open(null, { '/metrics': () => Promise.reject(new Error('at postgres://secret')) })
  const answer = await fetch(`${url}/metrics`, { headers: { connection: 'close' } })
  expect([answer.status, await answer.text()]).toEqual([500, 'failed\n'])
})
