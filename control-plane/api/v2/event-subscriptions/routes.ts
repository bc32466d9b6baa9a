/** Subscriptions of a team to the events of all its bots: `/v2/event-subscriptions`. */
import { z } from 'zod'
import {
  createSubscription,
  deleteSubscription,
  findSubscription,
  listSubscriptions,
  type Subscription,
} from '../../../store/bots/subscriptions.ts'
import type { ApiDependencies } from '../../dependencies.ts'
import { refusals } from '../../http/errors.ts'
import { createPlaces } from '../../http/event-stream.ts'
import { type App, callerOf } from '../../http/generation.ts'
import { acceptWebSocket } from '../../http/web-socket.ts'
import { at, documented, done, message, succeeded, success } from '../common.ts'
import { createSubscriptionBody, eventsMessage, subscriptionParams, subscriptionSchema } from './schema.ts'
import { SubscriptionSocket } from './socket.ts'

const MAX_SUBSCRIPTIONS = 20
const MAX_SOCKETS = { all: 1_000, ofTeam: MAX_SUBSCRIPTIONS, ofReader: MAX_SUBSCRIPTIONS }

export function eventSubscriptionRoutes(app: App, dependencies: ApiDependencies): void {
  const { database, eventTail, log } = dependencies
  const takePlace = createPlaces(MAX_SOCKETS, 'Too many programs follow events')
  const sockets = new Set<SubscriptionSocket>()
  app.addHook('preClose', async () => {
    for (const socket of sockets) socket.end('restart')
  })

  const route = documented(app, 'Event subscriptions')
  route.post('/event-subscriptions', {
    summary: 'Subscribe to the events of all bots of the team',
    description:
      'The service keeps which events the program has acknowledged, so a program that was away gets exactly what it missed. Connect a WebSocket to `/v2/event-subscriptions/{name}/socket` to get them. A team has at most 20.',
    body: createSubscriptionBody,
    example: () => ({ name: 'crm', types: ['transcript', 'participant_joined'] }),
    status: 201,
    answer: success(subscriptionSchema),
    refusals: [409],
    async handle(request) {
      const { teamId } = callerOf(request)
      const made = await createSubscription(database, { teamId, ...request.body, most: MAX_SUBSCRIPTIONS })
      if (made === 'taken') throw refusals.subscriptionExists(request.body.name)
      if (made === null) throw refusals.tooManySubscriptions(MAX_SUBSCRIPTIONS)
      return succeeded(shown(made))
    },
  })

  route.get('/event-subscriptions', {
    summary: 'List subscriptions to events, by name',
    answer: success(z.array(subscriptionSchema)),
    async handle(request) {
      return succeeded((await listSubscriptions(database, callerOf(request).teamId)).map(shown))
    },
  })

  route.delete('/event-subscriptions/:name', {
    summary: 'Delete a subscription to events',
    description: 'Its events that are not acknowledged are forgotten. A program that is connected is disconnected.',
    params: subscriptionParams,
    answer: message,
    refusals: [404],
    async handle(request) {
      const { name } = request.params
      if (!(await deleteSubscription(database, callerOf(request).teamId, name))) throw refusals.unknown('subscription')
      return done('The subscription is deleted')
    },
  })

  route.get('/event-subscriptions/:name/socket', {
    summary: 'Follow a subscription over a WebSocket',
    description:
      'The messages are described in [asyncapi.json](/asyncapi.json). The newest connection of a subscription gets the events; the one before is closed.',
    params: subscriptionParams,
    status: 101,
    answer: {
      description: 'The connection is a WebSocket now, with such messages',
      content: { 'application/json': { schema: eventsMessage } },
    },
    refusals: [404, 426],
    async handle(request, reply) {
      const { teamId, keyId, session } = callerOf(request)
      const found = await findSubscription(database, teamId, request.params.name)
      if (found === undefined) throw refusals.unknown('subscription; create it with POST /v2/event-subscriptions')
      takePlace(reply, teamId, keyId ?? session!.hash.toString('hex'))
      const webSocket = await acceptWebSocket(request, reply)
      const socket = new SubscriptionSocket(webSocket, { ...found, teamId, database, tail: eventTail, log })
      sockets.add(socket)
      // Not awaited: the time of a handler is limited.
      void socket.run().finally(() => sockets.delete(socket))
      return reply
    },
  })
}

const shown = ({ name, types, followed_at, waiting_bots, created_at }: Subscription) => ({
  ...{ name, waiting_bots, followed_at: at(followed_at), created_at: created_at.toISOString() },
  types: types as z.input<typeof subscriptionSchema>['types'],
})
