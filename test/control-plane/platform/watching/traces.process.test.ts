/** One trace from the request of a caller over launch and bot to the webhook, at a real endpoint for spans. */

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startService } from '@standin/control-plane/main/wiring/service.ts'
import { expect, onTestFinished, test } from 'vitest'
import { readServiceConfig } from '../../../../control-plane/main/config/config.ts'
import { createSeals, newSealKey, parseSealKeys } from '../../../../control-plane/platform/secrets/seals.ts'
import { createEndpoint } from '../../../../control-plane/store/webhooks/endpoints.ts'
import { packageRoot } from '../../../../packages/core/process/page-scripts.ts'
import { temporaryFolder } from '../../../fakes/at-end.ts'
import { openTestDatabase } from '../../postgres.ts'
import { startReceiver } from '../../webhooks/receiver.ts'
import { type ReceivedSpan, startOtlpReceiver } from './otlp-receiver.ts'

const quiet = { info() {}, warn() {}, error() {} }
const secretKeys = newSealKey('k1')
const BOT = `${process.execPath} ${join(packageRoot, 'test/control-plane/platform/watching/bot-process.ts')}`
const MEETING = 'https://meet.google.com/abc-defg-hij'

const base = temporaryFolder()
const db = await openTestDatabase()
async function start(environment: Record<string, string>) {
  const config = readServiceConfig(
    { data: join(base, 'data'), port: '0', privateAddresses: 'allow', botCommand: BOT },
    { DATABASE_URL: db.url, STANDIN_SECRET_KEYS: secretKeys },
    '/',
  )
  const service = await startService(config, { PATH: process.env.PATH!, ...environment }, quiet)
  onTestFinished(() => service.close())
  return service
}

let key: string

async function send(address: string, headers: Record<string, string> = {}): Promise<string> {
  const answer = await fetch(`${address}v2/bots`, {
    method: 'POST',
    headers: { 'x-service-api-key': key, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ bot_name: 'Secret name', meeting_url: MEETING, extra: { plan: { meetingMs: 300 } } }),
  })
  const body = (await answer.json()) as { data: { bot_id: string } }
  expect(answer.status, JSON.stringify(body)).toBe(201)
  return body.data.bot_id
}

const closed = (botId: string) =>
  expect
    .poll(
      async () => {
        const { phase } = await db.database
          .selectFrom('bots')
          .select('phase')
          .where('id', '=', botId)
          .executeTakeFirstOrThrow()
        const open = await db.database
          .selectFrom('deliveries')
          .select('id')
          .where('bot_id', '=', botId)
          .where('state', 'in', ['waiting', 'sending'])
          .execute()
        return phase === 'closed' && open.length === 0
      },
      { timeout: 50_000 },
    )
    .toBe(true)

const namesOf = (spans: ReceivedSpan[]) => [...new Set(spans.map(({ name }) => name))].sort()

test('the trace of a caller continues over launch, bot, events and webhooks, and names nothing secret', async () => {
  const otlp = await startOtlpReceiver()
  onTestFinished(otlp.close)
  const webhooks = await startReceiver()
  onTestFinished(webhooks.close)
  const service = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: `${otlp.url}/` })
  key = service.firstKey!
  const { id: teamId } = await db.database.selectFrom('teams').select('id').executeTakeFirstOrThrow()
  const seals = createSeals(parseSealKeys(secretKeys))
  const url = webhooks.url.replace('/hook', '/hook?secret=of-the-receiver')
  await createEndpoint(db.database, seals, { teamId, kind: 'team', url })

  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
  const parent = '00f067aa0ba902b7'
  const followed = await send(service.address, { traceparent: `00-${traceId}-${parent}-01` })
  const own = await send(service.address, { traceparent: 'nonsense' })
  await Promise.all([closed(followed), closed(own)])
  await service.close()
  // The messages from here on have no receiver.
  await db.database.updateTable('endpoints').set({ disabled_at: new Date() }).execute()

  expect(new Set(otlp.paths)).toEqual(new Set(['/v1/traces']))
  const spans = otlp.spans.filter((span) => span.traceId === traceId)
  expect(namesOf(spans)).toEqual(['POST /v2/bots', 'bot', 'events', 'launch', 'webhook'])
  const request = spans.find(({ name }) => name === 'POST /v2/bots')!
  expect(request).toMatchObject({ parentSpanId: parent, kind: 2, service: 'standin' })
  expect(request.attributes).toMatchObject({ 'http.response.status_code': 201, 'standin.team.id': teamId })
  // Everything that happens to the bot follows from the request.
  for (const span of spans.filter(({ name }) => name !== 'POST /v2/bots')) {
    expect(span.parentSpanId, span.name).toBe(request.spanId)
    expect(span.attributes['standin.bot.id'], span.name).toBe(followed)
  }
  const life = spans.filter(({ name }) => name === 'bot')
  expect(life).toHaveLength(1)
  expect(life[0]!.attributes).toMatchObject({ 'standin.status': 'completed', 'standin.end_code': 'BOT_REMOVED' })
  expect(BigInt(life[0]!.endTimeUnixNano) - BigInt(life[0]!.startTimeUnixNano)).toBeGreaterThan(200_000_000n)
  const sent = spans.filter(({ name }) => name === 'webhook')
  expect(sent.length).toBeGreaterThan(3)
  expect(sent[0]!.attributes).toMatchObject({ 'http.response.status_code': 200 })

  // The receiver can continue the trace, and the bot had it in its job.
  const received = webhooks.received.filter(({ body }) => body.data.bot_id === followed)
  expect(received.map(({ headers }) => headers.traceparent!.split('-')[1])).toEqual(received.map(() => traceId))
  expect(new Set(received.map(({ headers }) => headers.traceparent!.split('-')[2])).size).toBe(received.length)
  const stored = await db.database
    .selectFrom('bots')
    .select('traceparent')
    .where('id', '=', followed)
    .executeTakeFirstOrThrow()
  expect(stored.traceparent).toBe(`00-${traceId}-${request.spanId}-01`)

  // An invalid header begins a new trace.
  const others = otlp.spans.filter(({ attributes }) => attributes['standin.bot.id'] === own)
  expect(namesOf(others)).toEqual(['bot', 'events', 'launch', 'webhook'])
  expect(new Set(others.map((span) => span.traceId)).size).toBe(1)
  expect(others[0]!.traceId).not.toBe(traceId)

  const text = JSON.stringify(otlp.spans)
  for (const secret of ['meet.google.com', 'abc-defg-hij', 'Secret name', 'of-the-receiver', key])
    expect(text, secret).not.toContain(secret)
})

test('a caller whose trace is not sampled causes no spans', async () => {
  const otlp = await startOtlpReceiver()
  onTestFinished(otlp.close)
  const service = await start({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${otlp.url}/custom` })
  const traceId = 'a'.repeat(32)
  const id = await send(service.address, { traceparent: `00-${traceId}-${'b'.repeat(16)}-00` })
  await closed(id)
  await fetch(`${service.address}v2/bots`)
  await service.close()
  expect(otlp.spans.filter((span) => span.traceId === traceId)).toEqual([])
  expect(new Set(otlp.paths)).toEqual(new Set(['/custom']))
})

test('an endpoint that refuses spans, or is down, does no harm', async () => {
  const otlp = await startOtlpReceiver(500)
  const service = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: otlp.url })
  await closed(await send(service.address))
  await otlp.close()
  await closed(await send(service.address))
  await service.close()
})

test('without an endpoint nothing is traced: no header goes out, and no bot has a trace', async () => {
  const service = await start({})
  const id = await send(service.address, { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` })
  await closed(id)
  const row = await db.database.selectFrom('bots').select('traceparent').where('id', '=', id).executeTakeFirstOrThrow()
  expect(row.traceparent).toBeNull()
})

test('without an endpoint no package of OpenTelemetry is loaded but its API, which prom-client imports', async () => {
  const count = (environment: object) => `
    import { registerHooks } from 'node:module'
    let count = 0
    registerHooks({ resolve(name, context, next) { if (/^@opentelemetry\\/(?!api$)/.test(name)) count++; return next(name, context) } })
    await import('./control-plane/main/wiring/service.ts')
    const { openTraces } = await import('./control-plane/platform/watching/traces.ts')
    const { close } = await openTraces(${JSON.stringify(environment)}, { log: { info() {}, error() {} }, version: '1' })
    await close()
    console.log(count)`
  const run = async (environment: object) => {
    const args = ['--input-type=module', '-e', count(environment)]
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: packageRoot })
    return Number(stdout)
  }
  expect(await run({})).toBe(0)
  expect(await run({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' })).toBeGreaterThan(2)
})
