import { openFileStore } from '@standin/control-plane/files/open-file-store.ts'
import type { Response } from 'light-my-request'
import { describe, expect, test } from 'vitest'
import { atEnd, temporaryFolder } from '../../../fakes/at-end.ts'
import { openWorld } from '../../world.ts'

const folder = temporaryFolder()
const links = { secret: Buffer.alloc(32, 1), publicUrl: 'http://service.test', now: Date.now }
const files = await openFileStore({ type: 'folder', path: folder }, links)
const world = await openWorld({ api: { files: files.handler } })
atEnd(() => files.close())

test('the process says that it is alive without a key', async () => {
  const answer = await world.app.inject('/healthz')
  expect({ status: answer.statusCode, body: answer.json() }).toEqual({ status: 200, body: { status: 'ok' } })
})

test('metrics count requests by route and bots by phase', async () => {
  const team = await world.team()
  const id = await world.bot(team)
  await team.get(`/v2/bots/${id}`)
  await team.get('/v2/nothing-of-the-kind')
  const { payload, headers } = await world.app.inject('/metrics')
  expect(headers['content-type']).toContain('text/plain')
  expect(payload).toMatch(
    /standin_http_request_duration_seconds_count\{method="GET",route="\/v2\/bots\/:bot_id",status="200"\} 1/,
  )
  expect(payload).toContain('route="unknown"')
  expect(payload).not.toContain(id)
  expect(payload).not.toContain('nothing-of-the-kind')
  expect(payload).toMatch(/standin_bots\{phase="due"\} \d+/)
  expect(payload).toMatch(/standin_bot_lateness_seconds \d/)
  expect(payload).toContain('process_resident_memory_bytes')
})

test('a process that cannot keep up turns requests away with 503, and still tells operators how it is', async () => {
  const slow = await openWorld({
    api: { settings: { publicUrl: 'http://127.0.0.1', shedding: { maxEventLoopDelayMs: 1, patienceMs: 0 } } },
  })
  const team = await slow.team()
  const keepBusy = setInterval(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20), 1)
  await expect
    .poll(() => team.get('/v2/bots'))
    .toMatchObject({
      status: 503,
      body: { code: 'FST_ERR_SERVICE_UNAVAILABLE', message: 'The service is busy' },
      headers: { 'retry-after': '1' },
    })
  for (const path of ['/healthz', '/readyz', '/metrics'])
    expect((await slow.app.inject(path)).statusCode, path).toBe(200)
  clearInterval(keepBusy)
})

describe('signed files', () => {
  test('are served with ranges, without a key', async () => {
    const { store } = files
    await store.write('bot/1/video.mp4', Buffer.from('0123456789'), 'video/mp4')
    const link = new URL(await store.sign('bot/1/video.mp4', 60))
    const path = link.pathname + link.search
    const ask = async (more: object = {}) => {
      const { statusCode, headers, payload } = (await world.app.inject({ url: path, ...more })) as Response
      return [statusCode, headers['content-type'], headers['content-range'], headers['content-length'], payload]
    }
    expect(await ask()).toEqual([200, 'video/mp4', undefined, '10', '0123456789'])
    expect(await ask({ headers: { range: 'bytes=2-4' } })).toEqual([206, 'video/mp4', 'bytes 2-4/10', '3', '234'])
    expect(await ask({ method: 'HEAD' })).toEqual([200, 'video/mp4', undefined, '10', ''])
  })

  test('are refused with another signature, after their time, and outside of the folder', async () => {
    const { store } = files
    const link = new URL(await store.sign('bot/1/video.mp4', 60))
    const other = link.pathname.replace('video.mp4', 'audio.flac') + link.search
    expect((await world.app.inject(other)).statusCode).toBe(403)
    expect((await world.app.inject(link.pathname)).statusCode).toBe(403)
    const old = new URL(await store.sign('bot/1/video.mp4', -1))
    expect((await world.app.inject(old.pathname + old.search)).statusCode).toBe(410)
    expect((await world.app.inject(`/files/..%2f..%2fetc%2fpasswd${link.search}`)).statusCode).toBe(403)
  })
})
