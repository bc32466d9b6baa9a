/** The documents explain everything that they name. */
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DASHBOARD_TEXTS } from '../../../control-plane/api/dashboard/texts.ts'
import { OLDER_TEXTS } from '../../../control-plane/api/older/texts.ts'
import { webhookSchema } from '../../../control-plane/api/v2/webhooks.ts'
import { WEBHOOK_EVENTS } from '../../../control-plane/bots/messages/kinds.ts'
import { chatBody, completedBody, failedBody, statusBody } from '../../../control-plane/bots/messages/newer.ts'
import { sampleBody } from '../../../control-plane/bots/messages/samples.ts'
import { botRow } from '../bots/bot-row.ts'
import { type ApiWorld, MEET, openWorld } from '../world.ts'
import { addCalendar, addEvent, fakeCalendars } from './calendars/fake.ts'
import { operationsIn } from './openapi-judge.ts'

interface Schema {
  description?: string
  $ref?: string
  properties?: Record<string, Schema>
  anyOf?: Schema[]
}

const root = join(import.meta.dirname, '..', '..', '..')
const read = async (name: string) => JSON.parse(await readFile(join(root, 'docs', name), 'utf8'))
const document = await read('openapi.json')
const explained = [
  { name: 'openapi.json', document, atLeast: 600, texts: {} },
  { name: 'openapi-older.json', document: await read('openapi-older.json'), atLeast: 200, texts: OLDER_TEXTS },
  {
    name: 'openapi-dashboard.json',
    document: await read('openapi-dashboard.json'),
    atLeast: 200,
    texts: DASHBOARD_TEXTS,
  },
]

/** Own text, or that of the schema which it names; a value that may be null has it in its other form. */
const isExplained = ({ description, $ref, anyOf = [] }: Schema, schemas: Record<string, Schema>): boolean =>
  Boolean(description) ||
  ($ref !== undefined && isExplained(schemas[$ref.split('/').at(-1)!]!, schemas)) ||
  anyOf.some((one) => isExplained(one, schemas))

function propertiesIn(value: unknown, path: string): [path: string, schema: Schema][] {
  if (typeof value !== 'object' || value === null) return []
  const { properties } = value as Schema
  const own = Object.entries(typeof properties === 'object' ? properties : {})
  return [
    ...own.map(([name, schema]): [string, Schema] => [`${path}/${name}`, schema]),
    ...Object.entries(value).flatMap(([name, inner]) => propertiesIn(inner, `${path}/${name}`)),
  ]
}

test.each(explained)('$name: each property of a request, an answer and a webhook has a description', (one) => {
  const { paths, webhooks, components } = one.document
  const all = propertiesIn({ schemas: components.schemas, paths, webhooks }, '')
  expect(all.length).toBeGreaterThan(one.atLeast)
  expect(all.filter(([, schema]) => !isExplained(schema, components.schemas)).map(([path]) => path)).toEqual([])
})

test.each(explained)('$name: each text that is kept apart from the schemas is used', ({ document, texts }) => {
  const whole = JSON.stringify(document)
  for (const [name, text] of Object.entries(texts)) {
    const described = `"description":${JSON.stringify(text)}`
    expect(whole.includes(described), name).toBe(true)
  }
})

test.each(explained)('$name: each schema and each parameter has a description', ({ document }) => {
  const schemas: Record<string, Schema> = document.components.schemas
  expect(
    Object.entries(schemas)
      .filter(([, schema]) => !isExplained(schema, schemas))
      .map(([name]) => name),
  ).toEqual([])
  for (const [path, operations] of Object.entries(document.paths as Record<string, Record<string, unknown>>))
    for (const [method, operation] of Object.entries(operations))
      for (const one of (operation as { parameters?: (Schema & { name: string; schema: Schema })[] }).parameters ?? [])
        expect(one.$ref ?? one.description ?? one.schema.description, `${method} ${path} ${one.name}`).toBeTruthy()
})

interface Operation {
  parameters?: { in: string; name: string; example?: unknown; schema?: { example?: unknown } }[]
  requestBody?: { content: Record<string, { example?: unknown }> }
  responses: Record<string, { headers?: object }>
  'x-codeSamples'?: { source: string }[]
}
const operations = Object.entries<Record<string, Operation>>(operationsIn(document)).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
)

describe('examples', () => {
  const calendars = fakeCalendars()
  let world: ApiWorld
  beforeAll(async () => {
    world = await openWorld({ api: { calendars: calendars.operations } })
  })
  afterAll(() => world.close())

  test('each operation has one of its body and of its path', () => {
    expect(operations).toHaveLength(58)
    for (const { method, path, operation } of operations) {
      for (const { example } of Object.values(operation.requestBody?.content ?? {}))
        expect(example, `${method} ${path}`).toBeDefined()
      for (const one of operation.parameters ?? [])
        if (one.in === 'path')
          expect(one.example ?? one.schema?.example, `${method} ${path}`).toMatch(/^[0-9a-f-]{36}$/)
    }
  })

  test('the sample of the client makes the request of the example', async () => {
    for (const { method, path, operation } of operations) {
      const [sample] = operation['x-codeSamples'] ?? []
      expect(sample === undefined, path).toBe(path.endsWith('/stream'))
      if (sample === undefined) continue
      const asked: unknown[] = []
      const v2 = new Proxy(
        {},
        {
          get:
            (_v2, verb) =>
            (...given: unknown[]) =>
              asked.push(verb, ...given),
        },
      )
      const call = sample.source.split('\n').slice(3).join('\n').replace('await', '')
      new Function('v2', 'answerOf', call)(v2, (answer: unknown) => answer)
      const { example } = operation.requestBody?.content['application/json'] ?? {}
      expect(asked.slice(0, 2)).toEqual([method.toUpperCase(), path])
      expect((asked[2] as { body?: unknown } | undefined)?.body).toEqual(example)
      expect(JSON.stringify(asked[2] ?? {})).toContain(path.includes('{') ? '"path":{' : '{')
    }
  })

  test.each(operations.map(({ method, path }) => `${method} ${path}`))('%s: the example works', async (name) => {
    const team = await world.team()
    const [method, path] = name.split(' ') as ['get' | 'post' | 'patch' | 'delete', string]
    // The service's own document: its times are in the future.
    const served = (await world.app.inject('/openapi.json')).json()
    const { requestBody }: Operation = served.paths[path][method]
    const scheduled = { bot_name: 'B', meeting_url: MEET, join_at: new Date(Date.now() + 3_600_000).toISOString() }
    const bot_id = path.includes('scheduled')
      ? (await team.post('/v2/bots/scheduled', scheduled)).body.data.bot_id
      : await world.bot(team)
    // So that the stream ends.
    if (path.endsWith('/stream')) await world.set(bot_id, { phase: 'closed' })
    const calendar = await addCalendar(world.database, team)
    const { id: calendar_id } = calendar
    calendars.answer('listRaw', [])
    for (const operation of ['connect', 'update'] as const) calendars.answer(operation, calendar)
    calendars.answer('sync', { changed: 0 })
    calendars.answer('resubscribe', { resubscribedAt: new Date(), problem: null })
    for (const operation of ['scheduleBots', 'changeBots', 'cancelBots'] as const)
      calendars.answer(operation, { eventIds: [], refused: [] })
    const { id: event_id } = await addEvent(world.database, calendar_id)
    const account = {
      platform: 'meet',
      label: 'A',
      session: { cookies: [{ name: 'a', value: 'b', domain: 'google.com' }] },
    }
    const { account_id } = (await team.post('/v2/accounts', account)).body.data
    const ids: Record<string, string> = { bot_id, account_id, calendar_id, event_id, credential_id: randomUUID() }
    // The stream of a team has no end; one that is refused has.
    const url =
      path === '/v2/events/stream' ? `${path}?cursor=1` : path.replace(/\{(\w+)\}/g, (_, id: string) => ids[id]!)
    const { status, body } = await team[method](url, requestBody?.content['application/json']?.example)
    // There is no bot in a meeting, no provider of credentials, and no worker for transcripts.
    const expected = url.includes('cursor')
      ? [400]
      : path.includes('credential_id')
        ? [404]
        : /pause|resume|chat|say|output-media|agent|delete-data|resend|retry|retranscribe/.test(path)
          ? [409, 503]
          : [200, 201]
    expect(expected, JSON.stringify(body)).toContain(status)
  })
})

describe('webhooks', () => {
  test('each event has a schema that its sample fits, and nothing more is in it', () => {
    expect(Object.keys(document.webhooks)).toEqual([...WEBHOOK_EVENTS])
    for (const event of WEBHOOK_EVENTS) expect(webhookSchema(event).parse(sampleBody(event))).toEqual(sampleBody(event))
  })

  test('samples have the fields of the messages that are sent', () => {
    const row = botRow({ error_code: 'GENERAL_ERROR', error_message: 'It ended.' })
    const at = new Date()
    const news = { messageId: 'm', senderName: 'Ada', senderId: 1, text: 'Hi', isOwn: false, sourceId: 's' }
    const sent = [
      statusBody(row, { code: 'joining_call', at, sourceId: 's' }),
      completedBody(row),
      failedBody(row),
      chatBody(row, news),
    ]
    const namesOf = (value: unknown) => Object.keys((value as { data: object }).data).sort()
    for (const body of sent) expect(namesOf(body)).toEqual(namesOf(sampleBody(String(body.event))))
  })
})

test('the version is that of the program, and each tag of an operation is explained', async () => {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  expect(document.info.version).toBe(version)
  expect(document.info.description).toContain('## Idempotency')
  const used = new Set(operations.flatMap(({ operation }) => (operation as { tags?: string[] }).tags ?? []))
  const explained = (document.tags as { name: string; description: string }[]).map(({ name }) => name)
  expect(explained).toEqual(expect.arrayContaining([...used]))
  for (const { operation } of operations)
    for (const { headers } of Object.values(operation.responses)) expect(headers).toHaveProperty('x-request-id')
})
