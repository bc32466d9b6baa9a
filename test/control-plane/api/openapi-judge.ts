/** Judges answers by the OpenAPI document that the service serves. */

import type { App } from '@standin/control-plane/api/http/generation.ts'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

interface Operation {
  pattern: RegExp
  method: string
  responses: Record<string, { content?: Record<string, { schema: object }>; headers?: Record<string, object> }>
}

export interface Judge {
  /** Throws with the problems where the answer is not what the document promises. Paths of no document pass. */
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

/** `documents`: addresses such as `/openapi.json`. */
export async function createJudge(app: App, documents: readonly string[]): Promise<Judge> {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  const operations: (Operation & { name: string; document: string })[] = []
  for (const path of documents) {
    const answer = await app.inject(path)
    if (answer.statusCode !== 200) continue
    const document = answer.json()
    ajv.addSchema(document, path)
    for (const [template, methods] of Object.entries<Record<string, Operation>>(document.paths))
      for (const [method, { responses }] of Object.entries(methods))
        operations.push({
          name: `${method.toUpperCase()} ${template}`,
          document: path,
          pattern: new RegExp(`^${template.replace(/\/$/, '').replaceAll(/\{[^}]+\}/g, '[^/]+')}/?$`),
          method: method.toUpperCase(),
          responses,
        })
  }
  // A literal part of a path comes before a parameter.
  operations.sort((a, b) => Number(a.pattern.source.includes('[^/]+')) - Number(b.pattern.source.includes('[^/]+')))
  const seen = new Set<string>()

  return {
    seen,
    check({ method, path, status, contentType, text, headers }) {
      const bare = path.split('?', 1)[0]!
      const operation = operations.find((one) => one.method === method && one.pattern.test(bare))
      if (operation === undefined) return
      seen.add(`${operation.name} ${status}`)
      const response = operation.responses[String(status)]
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
      const validate = ajv.compile(resolved(content.schema, operation.document) as object)
      if (!validate(JSON.parse(text)))
        throw new Error(
          `${operation.name} ${status} does not fit its document: ${ajv.errorsText(validate.errors)}\n${text}`,
        )
    },
  }
}

/** References inside of a document, seen from outside. */
function resolved(schema: unknown, document: string): unknown {
  if (Array.isArray(schema)) return schema.map((inner) => resolved(inner, document))
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      key === '$ref' && typeof value === 'string' && value.startsWith('#')
        ? `${document}${value}`
        : resolved(value, document),
    ]),
  )
}
