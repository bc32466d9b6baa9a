import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { newerErrorBody } from '../../../../control-plane/api/v2/error-body.ts'
import { createServiceLog } from '../../../../control-plane/main/main.ts'
import { openWorld } from '../../world.ts'

const UUID = /^[0-9a-f-]{36}$/
const lines: { msg: string; requestId?: string }[] = []
const log = createServiceLog('info', { write: (line) => void lines.push(JSON.parse(line)) })

const world = await openWorld({
  api: {
    generations: [
      {
        prefix: '/t',
        isCompat: false,
        keyHeaders: ['x-service-api-key'],
        unknownFields: 'refuse',
        errorBody: newerErrorBody,
        routes(app) {
          app.post('/work', { schema: { body: z.unknown() }, config: { isOpen: true } }, async (_request, reply) => {
            log.info({}, 'working')
            await turn()
            reply.raw.once('close', () => log.info({}, 'closed'))
            throw new Error('broken')
          })
        },
      },
    ],
    log,
  },
})

const ask = (url: string, id?: string) =>
  world.app.inject({ url, headers: id === undefined ? {} : { 'x-request-id': id } })

test('an own id is taken over if it is short and plain, else replaced', async () => {
  const own = fc.oneof(fc.string({ maxLength: 80 }), fc.stringMatching(/^[\w.-]{1,64}$/))
  await fc.assert(
    fc.asyncProperty(own, async (id) => {
      const answered = String((await ask('/healthz', id)).headers['x-request-id'])
      if (/^[\w.-]{1,64}$/.test(id)) expect(answered).toBe(id)
      else expect(answered).toMatch(UUID)
    }),
    { numRuns: 100 },
  )
  const ids = await Promise.all([ask('/healthz'), ask('/healthz')])
  expect(new Set(ids.map(({ headers }) => headers['x-request-id'])).size).toBe(2)
})

test.each([
  ['/t/nothing', 404],
  ['/nothing', 404],
  ['/t/%zz', 400],
  ['/docs/', 200],
  ['/openapi.json', 404],
])('the answer to %s (%i) has the id', async (url, status) => {
  const answer = await ask(url, 'mine-1')
  expect({ status: answer.statusCode, id: answer.headers['x-request-id'] }).toEqual({ status, id: 'mine-1' })
})

test('a body that is too large is answered with the id', async () => {
  const answer = await world.app.inject({
    ...{ method: 'POST', url: '/t/work', payload: JSON.stringify('x'.repeat(1_100_000)) },
    headers: { 'content-type': 'application/json', 'x-request-id': 'mine-2' },
  })
  expect({ status: answer.statusCode, id: answer.headers['x-request-id'] }).toEqual({ status: 413, id: 'mine-2' })
})

test('every log line of a request has its id, also after the body was read, and of the error', async () => {
  await world.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = world.app.server.address() as { port: number }
  await Promise.all(
    Array.from({ length: 5 }, async (_, n) => {
      const headers = { 'content-type': 'application/json', 'x-request-id': `r-${n}` }
      const answer = await fetch(`http://127.0.0.1:${port}/t/work`, { method: 'POST', headers, body: '{"a": 1}' })
      expect([answer.status, answer.headers.get('x-request-id')]).toEqual([500, `r-${n}`])
    }),
  )
  log.info({}, 'outside')
  const of = (id?: string) => lines.filter(({ requestId }) => requestId === id).map(({ msg }) => msg)
  await expect.poll(() => of('r-4')).toEqual(['working', 'Request could not be processed', 'closed'])
  for (let n = 0; n < 5; n++) expect(of(`r-${n}`)).toEqual(['working', 'Request could not be processed', 'closed'])
  expect(of()).toEqual(['outside'])
})
