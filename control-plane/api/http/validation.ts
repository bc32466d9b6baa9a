/** Checks params, query and body of a request against its zod schemas. */
import { NOT_STORABLE, storable } from '@standin/wire/bot-fields.ts'
import { type Problem, problemsOf } from '@standin/wire/job.ts'
import type { FastifySchemaCompiler } from 'fastify'
import type { ZodError, ZodType, z } from 'zod'
import { nearestOf } from '../../platform/nearest.ts'
import { type ApiError, refusals } from './errors.ts'
import type { Generation } from './generation.ts'

/** Problems that one answer names; the rest is counted. */
const MAX_NAMED = 10
/** Unknown fields may hide further ones; each round drops what one check found. */
const MAX_ROUNDS = 8

const PARTS: Readonly<Record<string, string>> = {
  querystring: 'querystring',
  params: 'params',
  body: 'body',
  headers: 'headers',
}

/** Parses the parts of a request with their schemas; a misfit is an `ApiError` 400 that names every problem. */
export function validatorCompiler(unknownFields: Generation['unknownFields']): FastifySchemaCompiler<ZodType> {
  return ({ schema, httpPart }) => {
    const part = PARTS[httpPart ?? 'body'] ?? 'body'
    const needsBody = part === 'body' && !schema.safeParse(undefined).success
    return (data) => {
      // Fastify gives null for a body that is not there.
      if (needsBody && (data === undefined || data === null)) return { error: refusals.emptyBody() }
      const result = parse(schema, data, unknownFields)
      return 'value' in result ? result : { error: refusal(part, result.problems) }
    }
  }
}

function refusal(part: string, problems: readonly Problem[]): ApiError {
  const placed = problems.map(({ path, message }) => ({ path: placeOf(part, path), message }))
  return refusals.validation(sentence(part, problems), placed)
}

const placeOf = (part: string, path: string) => [part, ...(path === '' ? [] : path.split('.'))].join('/')

/** The parsed value, or its problems. */
export function parse<T>(
  schema: ZodType<T>,
  data: unknown,
  unknownFields: Generation['unknownFields'],
): { value: T } | { problems: Problem[] } {
  // The items of a list have an answer each, so they are looked at one by one.
  const unstorable = Array.isArray(data) ? null : unstorableText(data)
  if (unstorable !== null) return { problems: [{ path: unstorable, message: NOT_STORABLE }] }
  let current = data
  for (let round = 0; ; round++) {
    const words = problemWords()
    const result = schema.safeParse(current, { error: words.messageOf })
    if (result.success) return { value: result.data }
    if (unknownFields === 'refuse' || round === MAX_ROUNDS || !onlyUnknownFields(result.error))
      return { problems: problemsOf(result.error).map(words.withSuggestion) }
    current = withoutUnknownFields(current, result.error)
  }
}

/** The path of a text or name that is not storable, such as `extra.order`; null: there is none. Nesting may be deeper than the stack. */
function unstorableText(data: unknown): string | null {
  const open: [path: string, value: unknown][] = [['', data]]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [path, value] = next
    if (typeof value === 'string' && !storable(value)) return path
    if (typeof value !== 'object' || value === null) continue
    for (const [name, inner] of Object.entries(value)) {
      if (!storable(name)) return path
      open.push([path === '' ? name : `${path}.${name}`, inner])
    }
  }
  return null
}

/** The words of problems that zod alone has no good ones for. */
function problemWords() {
  /** Names of fields by the path of their object. */
  const known = new Map<string, string[]>()
  return {
    messageOf(issue: z.core.$ZodRawIssue): string | undefined {
      if (issue.code === 'unrecognized_keys') {
        const { shape = {} } = (issue.inst as z.ZodObject | undefined)?._zod.def ?? {}
        known.set((issue.path ?? []).join('.'), Object.keys(shape))
      }
      return issue.code === 'invalid_format' && issue.format === 'uuid' ? notAnId(issue.path ?? []) : undefined
    },
    withSuggestion({ path, message }: Problem): Problem {
      const dot = path.lastIndexOf('.')
      const fields = message === 'unknown field' ? known.get(path.slice(0, Math.max(0, dot))) : undefined
      const nearest = fields === undefined ? null : nearestOf(path.slice(dot + 1), fields)
      return { path, message: nearest === null ? message : `${message} (did you mean ${nearest}?)` }
    },
  }
}

/** Such as `is not a bot id` of the field `bot_id` or an item of `bot_ids`. */
function notAnId(path: readonly PropertyKey[]): string {
  const name = path.findLast((step) => typeof step === 'string') ?? ''
  const [, what = ''] = /^(.+)_ids?$/.exec(name as string) ?? []
  return `is not ${/^[aeiou]/.test(what) || what === '' ? 'an' : 'a'} ${`${what.replaceAll('_', ' ')} id`.trim()}`
}

/** Such as `body/bot_name is missing; body/meeting_ulr unknown field`. */
export function sentence(part: string, problems: readonly Problem[]): string {
  const named = problems.slice(0, MAX_NAMED).map(({ path, message }) => `${placeOf(part, path)} ${lowerFirst(message)}`)
  const more = problems.length - named.length
  return named.join('; ') + (more > 0 ? `; ${more} more problems` : '')
}

function lowerFirst(text: string): string {
  return /^[A-Z][a-z]/.test(text) ? text[0]!.toLowerCase() + text.slice(1) : text
}

function onlyUnknownFields(error: ZodError): boolean {
  return error.issues.every(({ code }) => code === 'unrecognized_keys')
}

function withoutUnknownFields(data: unknown, error: ZodError): unknown {
  let current = data
  for (const issue of error.issues)
    if (issue.code === 'unrecognized_keys') current = withoutKeys(current, issue.path, issue.keys)
  return current
}

/** Copies only the objects on the path: the values beside it may be nested deeper than the stack allows. */
function withoutKeys(data: unknown, [step, ...path]: readonly PropertyKey[], keys: readonly string[]): unknown {
  const copy = (Array.isArray(data) ? [...data] : { ...(data as object) }) as Record<PropertyKey, unknown>
  if (step !== undefined) copy[step] = withoutKeys(copy[step], path, keys)
  else for (const key of keys) delete copy[key]
  return copy
}
