/** OpenAPI 3.1 of a generation, made from the zod schemas of its routes. */
import { STATUS_CODES } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import swagger from '@fastify/swagger'
import type { FastifyContextConfig } from 'fastify'
import { createJsonSchemaTransform, createJsonSchemaTransformObject } from 'fastify-type-provider-zod'
import { z } from 'zod'
import type { Clock } from '../../platform/ports.ts'
import type { ApiDependencies } from '../dependencies.ts'
import type { App, Generation } from './generation.ts'
import { SESSION_COOKIE } from './sessions.ts'

export type OpenApiDocument = Record<string, unknown> & {
  paths: Record<string, Record<string, Operation>>
}

interface Operation {
  operationId?: string
  parameters?: {
    $ref?: string
    name?: string
    description?: string
    in?: string
    schema?: { format?: string }
    example?: unknown
  }[]
  requestBody?: { content: Record<string, { example?: unknown }> }
  responses: Record<string, Response>
  'x-codeSamples'?: { lang: string; label: string; source: string }[]
}

/** Or a reference to one. */
interface Response {
  $ref?: string
  description?: string
  content?: Record<string, { schema: object }>
  headers?: Record<string, object>
}

/** Header parameters and answered headers, to which operations refer. */
const COMPONENTS = {
  parameters: {
    IdempotencyKey: {
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description:
        'A repeated request with the same key gets the first answer and creates nothing. With another body or query it is refused with 409.',
      schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
    },
  },
  headers: {
    IdempotentReplayed: {
      description: '`true` if this is the answer of an earlier request with the same `Idempotency-Key`.',
      schema: { type: 'boolean' },
    },
    RequestId: {
      description: 'The id of the request, also in the log of the service: yours, if you sent one in this header.',
      schema: { type: 'string', pattern: '^[\\w.-]{1,64}$' },
    },
    RateLimit: {
      description:
        'Requests per second that may change something. Absent with `-remaining` and `-reset` if the team has no limit.',
      schema: { type: 'integer', minimum: 0 },
    },
    RateLimitRemaining: {
      description: 'How many of them are left until `x-ratelimit-reset`.',
      schema: { type: 'integer', minimum: 0 },
    },
    RateLimitReset: {
      description: 'Seconds until all of them are back.',
      schema: { type: 'integer', minimum: 1 },
    },
    RetryAfter: {
      description: 'Seconds after which a new request can succeed.',
      schema: { type: 'integer', minimum: 0 },
    },
  },
} as const

const RATE_LIMIT_HEADERS = [
  ['x-ratelimit-limit', 'RateLimit'],
  ['x-ratelimit-remaining', 'RateLimitRemaining'],
  ['x-ratelimit-reset', 'RateLimitReset'],
] as const

/** In examples. */
export const EXAMPLE_ID = '5b0d4f2e-7c55-4c86-9d2c-0f6a1f0c7f11'
/** In examples, without a mock meeting. */
const MEETING_LINK = 'https://meet.google.com/abc-defg-hij'
const DAY_MS = 86_400_000

/** Strings that are parsed into other types have no output type; the document describes what is sent. */
const zodToJsonConfig = {
  unrepresentable: 'any',
  // Zod leaves out the default of what it transforms, such as a number of a query.
  override({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: { default?: unknown } }) {
    const about = z.globalRegistry.get(zodSchema)
    if (about?.default !== undefined) jsonSchema.default = about.default
  },
} as const

/** Collects the routes that are registered in the scope afterwards. */
export async function describeRoutes(
  scope: App,
  { prefix, document, acceptsSessions }: Generation & { document: NonNullable<Generation['document']> },
  { publicUrl, version = '0', demoLink = MEETING_LINK }: ApiDependencies['settings'],
  clock: Clock,
): Promise<() => OpenApiDocument> {
  const { title, keyHeader, introduction, tags = [], webhooks, texts } = document
  const idempotent = new Set<string>()
  const examples = new Map<string, NonNullable<FastifyContextConfig['example']>>()
  scope.addHook('onRoute', ({ method, url, config }) => {
    if (config?.isIdempotent) idempotent.add(idOf(String(method), url))
    if (config?.example) examples.set(idOf(String(method), url), config.example)
  })
  const session = { type: 'apiKey', in: 'cookie', name: SESSION_COOKIE } as const
  const keys = {
    key: { type: 'apiKey', in: 'header', name: keyHeader ?? '', description: 'An API key of the team.' },
    bearer: { type: 'http', scheme: 'bearer', description: 'The same key as a bearer token.' },
  } as const
  const schemes = { ...(keyHeader !== null && keys), ...(acceptsSessions && { session }) }
  await scope.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title, version, ...(introduction && { description: introduction }) },
      servers: [{ url: keyHeader === null ? `${publicUrl}${prefix}` : publicUrl }],
      tags: [...tags],
      security: Object.keys(schemes).map((name) => ({ [name]: [] })),
      components: { ...COMPONENTS, securitySchemes: schemes },
    },
    transform: createJsonSchemaTransform({ zodToJsonConfig }),
    transformObject: createJsonSchemaTransformObject({ zodToJsonConfig }),
  })
  let made: OpenApiDocument | undefined
  return () => {
    made ??= withOpenAnswers({
      ...describe(
        withSharedRefusals(withoutUnusedSchemas(withNames(scope.swagger() as unknown as OpenApiDocument, idempotent))),
        texts,
      ),
      ...(webhooks && { webhooks: webhooks() }),
    })
    const tomorrow = `${new Date(clock.now() + DAY_MS).toISOString().slice(0, 10)}T09:00:00Z`
    for (const [path, operations] of Object.entries(made.paths))
      for (const [method, operation] of Object.entries(operations)) {
        const example = examples.get(operation.operationId ?? '')
        const json = operation.requestBody?.content['application/json']
        if (example && json) json.example = example({ meetingLink: demoLink, tomorrow })
        if (keyHeader !== null && !path.endsWith('/stream'))
          operation['x-codeSamples'] = [clientSample(publicUrl, prefix, [method, operation], path)]
      }
    return made
  }
}

/** The request of the example with `@standin/client`, for the page `/docs`. */
function clientSample(baseUrl: string, prefix: string, [method, operation]: [string, Operation], path: string) {
  const generation = prefix === '/v2' ? 'v2' : 'older'
  const places = (operation.parameters ?? []).filter((one) => one.in === 'path' && one.example !== undefined)
  const body = operation.requestBody?.content['application/json']?.example
  const options = {
    ...(places.length > 0 && { params: { path: Object.fromEntries(places.map((one) => [one.name, one.example])) } }),
    ...(body !== undefined && { body }),
  }
  const given = Object.keys(options).length === 0 ? '' : `, ${JSON.stringify(options, null, 2)}`
  const source = [
    "import { answerOf, createStandinClient } from '@standin/client'",
    '',
    `const { ${generation} } = createStandinClient({ baseUrl: '${baseUrl}', apiKey })`,
    `const answer = await answerOf(${generation}.${method.toUpperCase()}('${path}'${given}))`,
  ]
  return { lang: 'javascript', label: '@standin/client', source: source.join('\n') }
}

/** Such as `getBotsByBotId`: from the method and the path, so that it stays. */
function idOf(method: string, path: string): string {
  const names = path
    .replace(/^\/v2(?=\/)/, '')
    .split('/')
    .map((part) => (/^[:{]/.test(part) ? `by_${part}` : part))
    .flatMap((part) => part.match(/[A-Za-z0-9]+/g) ?? [])
  return method.toLowerCase() + names.map((name) => name[0]!.toUpperCase() + name.slice(1)).join('')
}

/** Gives every operation its id, and says which headers it takes and answers. */
function withNames(document: OpenApiDocument, idempotent: ReadonlySet<string>): OpenApiDocument {
  const ref = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` })
  for (const [path, operations] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(operations)) {
      operation.operationId = idOf(method, path)
      const isIdempotent = idempotent.has(operation.operationId)
      // A part of a path has a longest length, of which the router knows, not the route.
      if (path.includes('{') && operation.responses['400'] !== undefined)
        operation.responses['414'] = { ...operation.responses['400'] }
      for (const parameter of operation.parameters ?? [])
        if (parameter.in === 'path' && parameter.schema?.format === 'uuid') parameter.example = EXAMPLE_ID
      if (isIdempotent) operation.parameters = [...(operation.parameters ?? []), ref('parameters', 'IdempotencyKey')]
      for (const [status, response] of Object.entries(operation.responses)) {
        response.headers = { 'x-request-id': ref('headers', 'RequestId') }
        if (/^2|429/.test(status))
          for (const [name, header] of RATE_LIMIT_HEADERS) response.headers[name] = ref('headers', header)
        // The dashboard's document has one answer for all refusals; a busy idempotency key is a 409.
        const hasRetry = ['429', '503', 'default'].includes(status) || (isIdempotent && status === '409')
        if (hasRetry) response.headers['retry-after'] = ref('headers', 'RetryAfter')
        if (isIdempotent && status.startsWith('2'))
          response.headers['idempotent-replayed'] = ref('headers', 'IdempotentReplayed')
      }
    }
  return document
}

/** Each refusal is once in the document, since hundreds of operations answer with it. */
function withSharedRefusals(document: OpenApiDocument): OpenApiDocument {
  const shared: Record<string, Response> = {}
  for (const { responses } of Object.values(document.paths).flatMap((each) => Object.values(each)))
    for (const [status, answer] of Object.entries(responses)) {
      if (/^[123]/.test(status)) continue
      const description = STATUS_CODES[status] ?? 'Refusal'
      const response = { ...answer, description }
      // Only some operations are refused for a busy idempotency key.
      const isBusyKey = status === '409' && response.headers?.['retry-after'] !== undefined
      const name = description.replace(/\W/g, '') + (isBusyKey ? 'WithRetry' : '')
      shared[name] ??= response
      if (!isDeepStrictEqual(shared[name], response)) throw new Error(`${name} has two forms`)
      responses[status] = { $ref: `#/components/responses/${name}` }
    }
  const responses = Object.fromEntries(Object.entries(shared).sort(([a], [b]) => (a < b ? -1 : 1)))
  return { ...document, components: { ...(document.components as object), responses } }
}

/** Answers and webhooks get new fields without a new generation, so a client must not refuse what it does not know. */
function withOpenAnswers(document: OpenApiDocument): OpenApiDocument {
  const { schemas = {}, responses } = document.components as { schemas?: Record<string, object>; responses: unknown }
  const done = new Set<unknown>()
  const open = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || done.has(value)) return
    done.add(value)
    const schema = value as { additionalProperties?: unknown; $ref?: string }
    if (schema.additionalProperties === false) delete schema.additionalProperties
    if (typeof schema.$ref === 'string') open(schemas[schema.$ref.split('/').at(-1)!])
    for (const inner of Object.values(schema)) open(inner)
  }
  for (const operation of Object.values(document.paths).flatMap((each) => Object.values(each)))
    open(operation.responses)
  open(responses)
  open(document.webhooks)
  return document
}

/** Adds the texts of the generation to schemas, fields and parameters that have none. */
function describe(document: OpenApiDocument, texts: Readonly<Record<string, string>> = {}): OpenApiDocument {
  const textOf = (owner: string, name: string) => texts[`${owner}.${name}`] ?? texts[name]
  const add = (value: { description?: string; $ref?: string }, text: string | undefined) => {
    if (text !== undefined && value.$ref === undefined) value.description ??= text
  }
  const follow = (value: unknown, owner: string): void => {
    if (typeof value !== 'object' || value === null) return
    const { properties } = value as { properties?: Record<string, { description?: string }> }
    for (const [name, field] of Object.entries(properties ?? {})) add(field, textOf(owner, name))
    for (const inner of Object.values(value)) follow(inner, owner)
  }
  const { schemas = {} } = document.components as { schemas?: Record<string, { description?: string }> }
  for (const [name, schema] of Object.entries(schemas)) {
    add(schema, texts[name])
    follow(schema, name)
  }
  for (const operation of Object.values(document.paths).flatMap((each) => Object.values(each))) {
    for (const parameter of operation.parameters ?? [])
      add(parameter, textOf(operation.operationId!, parameter.name ?? ''))
    follow(operation, operation.operationId!)
  }
  return document
}

/** Named schemas of other generations are in the same registry of zod, and do not belong in this document. */
function withoutUnusedSchemas(document: OpenApiDocument): OpenApiDocument {
  const components = document.components as { schemas?: Record<string, unknown> } | undefined
  const schemas = components?.schemas ?? {}
  const used = new Set<string>()
  const follow = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [name, inner] of Object.entries(value)) {
      const target = name === '$ref' && typeof inner === 'string' ? inner.split('/').at(-1)! : null
      if (target === null) follow(inner)
      else if (!used.has(target)) {
        used.add(target)
        follow(schemas[target])
      }
    }
  }
  follow(document.paths)
  // In the order of their names, since the registry's depends on which module was loaded first.
  const kept = Object.fromEntries(
    [...used]
      .filter((name) => name in schemas)
      .sort()
      .map((name) => [name, schemas[name]]),
  )
  return { ...document, components: { ...components, schemas: kept } }
}
