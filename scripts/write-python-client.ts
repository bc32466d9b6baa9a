/**
 * Writes what `packages/client/python` has from the OpenAPI document of `/v2`: types, a method for each operation, and the version. Git does
 * not keep them; `scripts/pack.ts` has them written beside a copy of the rest.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import packageJson from '../package.json' with { type: 'json' }

interface Schema {
  $ref?: string
  type?: string | readonly string[]
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: readonly string[]
  description?: string
}

interface Body {
  content: Record<string, { schema?: Schema }>
}

interface Operation {
  operationId: string
  summary: string
  description?: string
  parameters?: readonly { $ref?: string; name: string; in: string; schema: Schema; description?: string }[]
  requestBody?: Body
  responses: Record<string, Partial<Body>>
}

interface Document {
  components: { schemas: Record<string, Schema> }
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, { post: Operation & { requestBody: Body } }>
}

/** The names of methods. An operation that is not here yet has its own id as its name. */
export const METHODS: Readonly<Record<string, string>> = {
  postBots: 'create_bot',
  getBots: 'list_bots',
  getBotsByBotId: 'get_bot',
  getBotsByBotIdStatus: 'get_status',
  getBotsByBotIdEvents: 'list_events',
  getBotsByBotIdTimeline: 'get_timeline',
  getBotsByBotIdScreenshots: 'list_screenshots',
  getBotsByBotIdFiles: 'list_files',
  postBotsByBotIdLeave: 'leave',
  postBotsByBotIdSendChatMessage: 'send_chat_message',
  postBotsByBotIdPauseRecording: 'pause_recording',
  postBotsByBotIdResumeRecording: 'resume_recording',
  patchBotsByBotIdUpdateConfig: 'update_config',
  deleteBotsByBotIdDeleteData: 'delete_data',
  postBotsByBotIdResendWebhook: 'resend_webhook',
  postBotsByBotIdRetryCallback: 'retry_callback',
  postBotsByBotIdRetranscribe: 'retranscribe',
  postBotsBatch: 'create_bots',
  postBotsScheduled: 'schedule_bot',
  postBotsScheduledBatch: 'schedule_bots',
  getBotsScheduled: 'list_scheduled_bots',
  getBotsScheduledByBotId: 'get_scheduled_bot',
  patchBotsScheduledByBotId: 'change_scheduled_bot',
  deleteBotsScheduledByBotId: 'cancel_scheduled_bot',
  postConfCredentials: 'create_credential',
  getConfCredentials: 'list_credentials',
  getConfCredentialsByCredentialId: 'get_credential',
  patchConfCredentialsByCredentialId: 'change_credential',
  deleteConfCredentialsByCredentialId: 'delete_credential',
  postCalendarsListRaw: 'list_raw_calendars',
  postCalendars: 'connect_calendar',
  getCalendars: 'list_calendars',
  getCalendarsByCalendarId: 'get_calendar',
  patchCalendarsByCalendarId: 'change_calendar',
  deleteCalendarsByCalendarId: 'disconnect_calendar',
  postCalendarsByCalendarIdSync: 'sync_calendar',
  postCalendarsByCalendarIdResubscribe: 'resubscribe_calendar',
  getCalendarsByCalendarIdEvents: 'list_calendar_events',
  getCalendarsByCalendarIdEventsByEventId: 'get_calendar_event',
  getCalendarsByCalendarIdSeries: 'list_calendar_series',
  postCalendarsByCalendarIdBots: 'schedule_calendar_bots',
  patchCalendarsByCalendarIdBots: 'change_calendar_bots',
  deleteCalendarsByCalendarIdBots: 'cancel_calendar_bots',
  getAuditLog: 'list_audit_log',
  getWebhooks: 'list_webhooks',
}

/** Writes into the folder of the package, beside its files that are written by hand. */
export function writePythonClient(folder: string): void {
  const text = readFileSync(join(import.meta.dirname, '../docs/openapi.json'), 'utf8')
  const files = pythonFiles(JSON.parse(text) as Document)
  for (const [name, content] of Object.entries({ ...files, '_version.py': `VERSION = "${packageJson.version}"\n` }))
    writeFileSync(join(folder, name), content)
}

const MADE = 'Made from docs/openapi.json by scripts/write-python-client.ts.'
/** A text of JSON means the same in Python. */
const quoted = (text: unknown) => JSON.stringify(text)
const pascal = (name: string) =>
  name.replace(/(?:^|[^A-Za-z\d])([a-z\d])/g, (_, letter: string) => letter.toUpperCase()).replace(/[^A-Za-z\d]/g, '')
const SIMPLE: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
}

export function pythonFiles({ components, paths, webhooks }: Document): Record<'types.py' | '_operations.py', string> {
  /** Classes by name, each after those that it uses. */
  const classes = new Map<string, string>()

  function component(ref: string): string {
    const name = ref.split('/').at(-1)!
    if (!classes.has(name)) classes.set(name, define(name, components.schemas[name]!))
    return name
  }

  /** The type of the schema; an object without a name gets this one. */
  function typeOf(schema: Schema, name: string): string {
    if (schema.$ref !== undefined) return component(schema.$ref)
    if (schema.anyOf) return union(schema.anyOf.map((one) => typeOf(one, name)))
    if (schema.const !== undefined) return literal([schema.const])
    if (schema.enum) return literal(schema.enum)
    if (Array.isArray(schema.type)) return union(schema.type.map((type: string) => typeOf({ ...schema, type }, name)))
    if (schema.type === 'array')
      return `list[${typeOf(
        schema.items ?? {},
        name.replace(/(ie)?s$/, (_, y) => (y ? 'y' : '')),
      )}]`
    if (schema.type === 'object') return schema.properties ? inline(schema, name) : 'dict[str, Any]'
    return SIMPLE[String(schema.type)] ?? 'Any'
  }

  /** Of a list also one of its words. */
  const queryType = (schema: Schema) =>
    union([...(schema.items ? [typeOf(schema.items, 'Any')] : []), typeOf(schema, 'Any')])

  function inline(schema: Schema, name: string): string {
    const text = define(name, schema)
    const other = classes.get(name)
    if (other !== undefined && other !== text) return inline(schema, `${name}_`)
    classes.set(name, text)
    return name
  }

  function define(name: string, schema: Schema): string {
    if (!schema.properties) return `${name} = ${typeOf(schema, `${name}Value`)}\n`
    const lines = Object.entries(schema.properties).flatMap(([key, property]) => {
      const type = typeOf(property, `${name}${pascal(key)}`)
      const field = `    ${key}: ${schema.required?.includes(key) ? type : `NotRequired[${type}]`}`
      return property.description === undefined ? [field] : [field, `    ${quoted(property.description)}`]
    })
    const head = schema.description === undefined ? [] : [`    ${quoted(schema.description)}`, '']
    return [`class ${name}(TypedDict):`, ...head, ...(lines.length > 0 ? lines : ['    pass']), ''].join('\n')
  }

  const methods = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, operation]) => answersOf(operation)['application/json'] !== undefined)
      .map(([method, operation]) => methodOf(method, path, operation)),
  )
  const messages = Object.entries(webhooks).map(([event, { post }]) =>
    typeOf(post.requestBody.content['application/json']!.schema!, `${pascal(event)}Webhook`),
  )
  for (const name of Object.keys(components.schemas)) component(`#/components/schemas/${name}`)

  function methodOf(method: string, path: string, operation: Operation): string {
    const { operationId } = operation
    const name = METHODS[operationId] ?? operationId.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    const answers = answersOf(operation)
    const parameters = operation.parameters ?? []
    const creates = parameters.some(({ $ref }) => $ref?.endsWith('/IdempotencyKey'))
    const places = parameters.filter((one) => one.in === 'path').map((one) => one.name)
    const queries = parameters.filter((one) => one.in === 'query' && one.name !== 'cursor')
    // A parameter that chooses another form of the answer than JSON would break the types.
    const options = queries.filter((one) => one.name !== 'format' || Object.keys(answers).length === 1)
    const cursor = parameters.some((one) => one.in === 'query' && one.name === 'cursor')
    const keywords = [
      ...options.map((one) => `${one.name}: ${queryType(one.schema)} | None = None`),
      ...(cursor ? ['cursor: str | None = None'] : []),
      ...(creates ? ['idempotency_key: str | None = None'] : []),
    ]
    const sent: string[] = []
    const given = operation.requestBody?.content['application/json']?.schema
    const bodyType = given && typeOf(given, `${pascal(name)}Input`).replace(/ \| None$/, '')
    const positional = ['self', ...places.map((one) => `${one}: str`)]
    if (bodyType === undefined) positional.push(...(places.length > 0 ? ['/'] : []))
    else if (bodyType.startsWith('list[')) {
      positional.push(`items: ${bodyType}`, '/')
      sent.push('body=items')
    } else {
      if (places.length > 0) positional.push('/')
      // An operation whose body has no fields takes an empty one.
      if (bodyType !== 'Any') keywords.push(`**body: Unpack[t.${bodyType}]`)
      sent.push(`body=${bodyType === 'Any' ? '{}' : 'body'}`)
    }
    const named = keywords.length > 0 && !keywords[0]!.startsWith('**') ? ['*'] : []
    const query = `{${[...options.map((one) => one.name), ...(cursor ? ['cursor'] : [])].map((one) => `"${one}": ${one}`).join(', ')}}`
    const url =
      places.length === 0 ? quoted(path) : `f${quoted(path.replace(/\{(\w+)\}/g, (_, one) => `{_part(${one})}`))}`
    const answer = answers['application/json']?.schema?.properties ?? {}
    const fields = Object.keys(answer).filter((key) => key !== 'success' && key !== 'prev_cursor')
    const shown = (type: string) => type.replace(/\b[A-Z]\w*/g, (word) => (classes.has(word) ? `t.${word}` : word))
    let type: string
    let call: string
    if (cursor) {
      type = `Page[${shown(typeOf(answer.data!.items!, `${pascal(name).replace(/^List/, '').replace(/s$/, '')}`))}]`
      const isEndless = !typeOf(answer.cursor!, 'Cursor').endsWith('None')
      call = `return self._list(${url}, ${query}${isEndless ? ', ends_empty=True' : ''})`
    } else {
      if (options.length > 0) sent.unshift(`query=${query}`)
      if (creates) sent.push('creates=True', 'idempotency_key=idempotency_key')
      const isPlain = fields.length === 1 && fields[0] === 'data'
      type = isPlain
        ? shown(typeOf(answer.data!, `${pascal(name)}Answer`))
        : shown(typeOf(answers['application/json']!.schema!, `${pascal(name)}Answer`))
      call = `return self._ask(${[quoted(method.toUpperCase()), url, ...sent].join(', ')})${isPlain ? '["data"]' : ''}`
    }
    const notes = options.flatMap((one) => (one.description === undefined ? [] : [`${one.name}: ${one.description}`]))
    const prose = [`${operation.summary}.`, ...(operation.description ? ['', operation.description] : [])]
    const documentation = [...prose, ...(notes.length > 0 ? ['', ...notes] : [])].join('\n').replace(/[\\"]/g, '\\$&')
    const words = [...positional, ...named, ...keywords]
    const signature =
      words.join(', ').length < 100 ? words.join(', ') : `\n${words.map((word) => `    ${word},\n`).join('')}`
    const text = `def ${name}(${signature.replace(/(\*\*.*),\n$/, '$1\n')}) -> ${type}:
    """
${documentation.replace(/^(?=.)/gm, '    ')}
    """
    ${call}
`
    return text.replace(/^(?=.)/gm, '    ')
  }

  const types = [...classes.values(), `Webhook = ${union(messages)}\n`].join('\n\n')
  return {
    'types.py': `"""${MADE}"""\n\nfrom typing import Any, Literal, NotRequired, TypedDict\n\n\n${types}`,
    '_operations.py': [
      `"""${MADE}"""\n`,
      'from typing import Any, Literal, Unpack',
      'from urllib.parse import quote\n',
      'from . import types as t',
      'from ._http import Page, Transport\n\n',
      'def _part(value: str) -> str:',
      '    return quote(value, safe="")\n\n',
      'class Operations(Transport):',
      ...methods,
    ].join('\n'),
  }
}

/** Bodies of the success by their types. A stream of events has no JSON, and the client does not read it. */
function answersOf({ responses }: Operation): Body['content'] {
  return Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1].content ?? {}
}

const union = (types: readonly string[]) => {
  // Not inside of brackets.
  const one = [...new Set(types.flatMap((type) => type.split(/ \| (?![^[]*\])/)))]
  if (one.includes('Any')) return 'Any'
  return [...one.filter((type) => type !== 'None'), ...one.filter((type) => type === 'None')].join(' | ')
}

const literal = (values: readonly unknown[]) =>
  `Literal[${values.map((value) => (typeof value === 'boolean' ? pascal(String(value)) : value === null ? 'None' : quoted(value))).join(', ')}]`
