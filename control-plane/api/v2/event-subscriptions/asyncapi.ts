/** `/asyncapi.json`: the messages of the WebSocket in the language of AsyncAPI 3. */
import { z } from 'zod'
import type { ApiDependencies } from '../../dependencies.ts'
import { ackMessage, eventsMessage, subscriptionParams } from './schema.ts'

const PATH = '/v2/event-subscriptions/{name}/socket'
const INTRODUCTION =
  'Create a subscription with `POST /v2/event-subscriptions`, connect with the key in the header `x-service-api-key`, and ' +
  'acknowledge events once you have processed them. Events that are not acknowledged come again with the next connection, ' +
  'so keep `id` if your work must be done once. The events of one bot come in order. At most some 1,000 events are ' +
  'open at once; the service waits with more. Connections last ten minutes at most.'

export function asyncapiDocument({ publicUrl, version }: ApiDependencies['settings']) {
  const { host, protocol, pathname } = new URL(publicUrl)
  return {
    asyncapi: '3.0.0',
    info: { title: 'Standin events', version: version ?? '0', description: INTRODUCTION },
    defaultContentType: 'application/json',
    servers: {
      service: {
        host,
        pathname: pathname.replace(/\/$/, ''),
        protocol: protocol === 'https:' ? 'wss' : 'ws',
        security: [{ $ref: '#/components/securitySchemes/key' }],
      },
    },
    channels: {
      subscription: {
        address: PATH,
        summary: 'The events of all bots of the team, of the types of the subscription.',
        parameters: { name: { description: subscriptionParams.shape.name.description } },
        messages: {
          events: { $ref: '#/components/messages/events' },
          ack: { $ref: '#/components/messages/ack' },
        },
      },
    },
    operations: {
      sendEvents: operation('send', 'events', 'The service sends events that are not acknowledged.'),
      receiveAck: operation('receive', 'ack', 'The program acknowledges events of one bot.'),
    },
    components: {
      messages: {
        events: { title: 'Events', payload: { $ref: '#/components/schemas/EventsMessage' } },
        ack: { title: 'Acknowledgement', payload: { $ref: '#/components/schemas/AckMessage' } },
      },
      schemas: schemas(),
      securitySchemes: { key: { type: 'httpApiKey', in: 'header', name: 'x-service-api-key' } },
    },
  }
}

const operation = (action: 'send' | 'receive', name: string, summary: string) => ({
  ...{ action, summary },
  channel: { $ref: '#/channels/subscription' },
  messages: [{ $ref: `#/channels/subscription/messages/${name}` }],
})

/** With those that they name, such as `BotEvent`. */
function schemas(): Record<string, object> {
  const { $defs } = z.toJSONSchema(z.union([eventsMessage, ackMessage]))
  return JSON.parse(JSON.stringify($defs).replaceAll('#/$defs/', '#/components/schemas/'))
}
