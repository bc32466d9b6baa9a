import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import specs from '@asyncapi/specs'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { expect, test } from 'vitest'
import { ackMessage, eventsMessage } from '../../../control-plane/api/v2/event-subscriptions/schema.ts'
import { sampleBody } from '../../../control-plane/bots/messages/samples.ts'

const document = JSON.parse(await readFile(join(import.meta.dirname, '../../../docs/asyncapi.json'), 'utf8'))
// The schema of AsyncAPI brings the schema of JSON Schema with it.
const ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false, meta: false })
addFormats.default(ajv)

test('the document is AsyncAPI 3', () => {
  const isValid = ajv.compile(specs.schemas['3.0.0'] as object)
  expect(isValid(document), JSON.stringify(isValid.errors, null, 1)).toBe(true)
})

test('every reference leads to a part of the document', () => {
  const missing: string[] = []
  JSON.stringify(document, (key, value) => {
    const place = key === '$ref' && (value as string).slice(2).split('/')
    if (place && place.reduce((part, name) => part?.[name], document) === undefined) missing.push(value)
    return value
  })
  expect(missing).toEqual([])
})

test('messages of the socket fit the document, and others do not', () => {
  const fits = (name: string, message: unknown) =>
    ajv.compile({ $ref: `#/components/schemas/${name}`, components: document.components })(message)
  const { bot_id, events } = sampleBody('bot.transcript').data as { bot_id: string; events: { id: string }[] }
  const message = { type: 'events', bot_id, events }
  expect([fits('EventsMessage', message), eventsMessage.safeParse(message).success]).toEqual([true, true])
  expect(fits('EventsMessage', { ...message, events: [] })).toBe(false)
  const ack = { type: 'ack', id: events[0]!.id }
  expect([fits('AckMessage', ack), ackMessage.safeParse(ack).success]).toEqual([true, true])
  expect(fits('AckMessage', { type: 'ack', id: 'x' })).toBe(false)
})
