/** Judges answers by the OpenAPI document that the service serves. */

import type { App } from '@standin/control-plane/api/http/generation.ts'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

interface Operation {
  pattern: RegExp
  method: string
  responses: Record<string, Response>
}

interface Response {
  content?: Record<string, { schema: object }>
  headers?: Record<string, object>
}

export interface Judge {
  /** Throws with the problems if the answer is not what the document promises. Paths of no document pass. */
  check(answer: {
    method: string
    path: string
    status: number
    contentType: string
    text: string
    headers: Readonly<Record<string, unknown>>
  }): void
  /** Operations and statuses that were answered, such as `POST /v2/bots 201`. */
  readonly seen: ReadonlySet<string>
}

/** Headers that a caller acts on. */
const DECLARED_HEADERS = ['retry-after', 'idempotent-replayed']

interface Judged extends Operation {
  name: string
  /** The address as the prefix of the document's schemas. */
  id: string
}

/** All worlds of a worker judge by one validator for each answer of each document: compiling one takes longer than most tests. */
const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)
/** Operations of each document, by its text. */
const read = new Map<string, Judged[]>()
const validators = new Map<object, ValidateFunction>()
const ofApps = new Map<string, Promise<Judged[]>>()

function operationsOf(text: string, path: string): Judged[] {
  const known = read.get(text)
  if (known !== undefined) return known
  const document = JSON.parse(text)
  const id = `${path}-${read.size}`
  ajv.addSchema(resolved(document, id) as object, id)
  // Paths are relative to the address of the server, which has a path in the dashboard's document.
  const base = new URL(document.servers[0].url).pathname.replace(/\/$/, '')
  const operations: Judged[] = []
  for (const [template, methods] of Object.entries<Record<string, Operation>>(operationsIn(document)))
    for (const [method, { responses }] of Object.entries(methods))
      operations.push({
        name: `${method.toUpperCase()} ${base}${template}`,
        id,
        pattern: new RegExp(`^${base}${template.replace(/\/$/, '').replaceAll(/\{[^}]+\}/g, '[^/]+')}/?$`),
        method: method.toUpperCase(),
        responses,
      })
  read.set(text, operations)
  return operations
}

function validatorOf(schema: object, id: string): ValidateFunction {
  const known = validators.get(schema)
  if (known !== undefined) return known
  const made = ajv.compile(resolved(schema, id) as object)
  validators.set(schema, made)
  return made
}

async function operationsOfApp(app: App, documents: readonly string[]): Promise<Judged[]> {
  const operations: Judged[] = []
  for (const path of documents) {
    const answer = await app.inject(path)
    if (answer.statusCode === 200) operations.push(...operationsOf(answer.payload, path))
  }
  // A literal part of a path comes before a parameter.
  return operations.sort(
    (a, b) => Number(a.pattern.source.includes('[^/]+')) - Number(b.pattern.source.includes('[^/]+')),
  )
}

/**
 * `documents`: addresses such as `/openapi.json`. `like`: apps of the same word serve the same documents, so those of the
 * first one are read, since making them takes longer than building the app. Null: no other app is like it.
 */
export async function createJudge(app: App, documents: readonly string[], like: string | null): Promise<Judge> {
  const known = like === null ? undefined : ofApps.get(like)
  const reading = known ?? operationsOfApp(app, documents)
  if (like !== null) ofApps.set(like, reading)
  const operations = await reading
  const seen = new Set<string>()

  return {
    seen,
    check({ method, path, status, contentType, text, headers }) {
      const bare = path.split('?', 1)[0]!
      const operation = operations.find((one) => one.method === method && one.pattern.test(bare))
      if (operation === undefined) return
      seen.add(`${operation.name} ${status}`)
      const response = operation.responses[String(status)] ?? operation.responses.default
      if (response === undefined)
        throw new Error(`${operation.name} answered ${status}, which its document does not name`)
      for (const name of DECLARED_HEADERS)
        if (headers[name] !== undefined && response.headers?.[name] === undefined)
          throw new Error(`${operation.name} ${status} answered ${name}, which its document does not name`)
      const [type] = contentType.split(';')
      const content = response.content?.[type!]
      if (content === undefined) {
        if (text !== '')
          throw new Error(`${operation.name} ${status} answered ${type}, which its document does not name`)
        return
      }
      if (type !== 'application/json') return
      const validate = validatorOf(content.schema, operation.id)
      if (!validate(JSON.parse(text)))
        throw new Error(
          `${operation.name} ${status} does not fit its document: ${ajv.errorsText(validate.errors)}\n${text}`,
        )
    },
  }
}

/** The operations by path and method, each with its responses instead of references to them. */
export function operationsIn<O extends Pick<Operation, 'responses'>>(document: {
  paths: Record<string, Record<string, O>>
  components?: unknown
}): Record<string, Record<string, O>> {
  const paths = structuredClone(document.paths)
  const components = document.components as Pick<Operation, 'responses'>
  for (const { responses } of Object.values(paths).flatMap((methods) => Object.values(methods)))
    for (const [status, { $ref }] of Object.entries(responses as Record<string, { $ref?: string }>))
      if ($ref !== undefined) responses[status] = components.responses[$ref.split('/').at(-1)!]!
  return paths
}

export const DOCUMENTS = ['/openapi.json', '/openapi-older.json', '/openapi-dashboard.json'] as const

/** Every operation of the documents that the service serves, such as `POST /dashboard/api/keys`. */
export async function operationsServed<O extends Pick<Operation, 'responses'>>(
  app: App,
  documents: readonly string[] = DOCUMENTS,
) {
  const served: { name: string; method: string; path: string; operation: O }[] = []
  for (const address of documents) {
    const document = (await app.inject(address)).json()
    const base = new URL(document.servers[0].url).pathname.replace(/\/$/, '')
    for (const [path, methods] of Object.entries(operationsIn<O>(document)))
      for (const [method, operation] of Object.entries(methods))
        served.push({ name: `${method.toUpperCase()} ${base}${path}`, method, path: base + path, operation })
  }
  return served
}

/** References inside of a document, seen from outside. */
function resolved(schema: unknown, document: string): unknown {
  if (Array.isArray(schema)) return schema.map((inner) => resolved(inner, document))
  if (typeof schema !== 'object' || schema === null) return schema
  // Documents are open for later fields; an answer of this version has those that its document names.
  const isOpen = 'properties' in schema && 'type' in schema && !('additionalProperties' in schema)
  return Object.fromEntries(
    Object.entries<unknown>({ ...schema, ...(isOpen && { additionalProperties: false }) }).map(([key, value]) => [
      key,
      key === '$ref' && typeof value === 'string' && value.startsWith('#')
        ? `${document}${value}`
        : resolved(value, document),
    ]),
  )
}
