/** Subscriptions: the handshake with both addresses, notifications, and what Graph says of the subscription itself. */
import { randomUUID } from 'node:crypto'
import { canBeWatched, jsonOf, type Reply, type Request } from '../../shared/scripted-server.ts'
import type { StandInAccount } from '../account.ts'
import type { StandInCalendar } from '../calendar.ts'
import type { StandInClock } from '../clock.ts'
import { Pushes } from '../pushes.ts'
import { badRequest, refusal } from './refusals.ts'

export interface GraphSubscription {
  id: string
  calendar: StandInCalendar
  account: StandInAccount
  resource: string
  notificationUrl: string
  lifecycleNotificationUrl: string | null
  clientState: string | null
  /** UTC milliseconds. */
  expiresAt: number
}

export type LifecycleEvent = 'reauthorizationRequired' | 'subscriptionRemoved' | 'missed'

const MAX_MS = 4230 * 60_000
const HANDSHAKE_MS = 10_000

export class Subscriptions {
  readonly pushes = new Pushes((status) => status < 200 || status >= 300)
  readonly tenantId = randomUUID()
  private readonly subscriptions = new Map<string, GraphSubscription>()
  private readonly clock: StandInClock

  constructor(clock: StandInClock) {
    this.clock = clock
  }

  /** Those that are live. */
  get live(): GraphSubscription[] {
    return [...this.subscriptions.values()].filter(({ expiresAt }) => expiresAt > this.clock.now())
  }

  async create(request: Request, account: StandInAccount): Promise<Reply> {
    const wanted = jsonOf(request) ?? {}
    const { changeType, notificationUrl, lifecycleNotificationUrl, resource, clientState } = wanted
    const calendar = typeof resource === 'string' ? calendarOf(resource, account) : undefined
    if (calendar === undefined) return badRequest('The resource is not known.')
    if (typeof changeType !== 'string' || !/^(created|updated|deleted)(,(created|updated|deleted))*$/.test(changeType))
      return badRequest('The changeType is not valid.')
    if (!canBeWatched(notificationUrl)) return badRequest('The notificationUrl must be an HTTPS address.')
    if (lifecycleNotificationUrl !== undefined && !canBeWatched(lifecycleNotificationUrl))
      return badRequest('The lifecycleNotificationUrl must be an HTTPS address.')
    if (clientState !== undefined && (typeof clientState !== 'string' || clientState.length > 128))
      return badRequest('The clientState is longer than 128 characters.')
    const expiresAt = this.expiryOf(wanted.expirationDateTime)
    if (typeof expiresAt !== 'number') return expiresAt
    for (const address of new Set([notificationUrl, lifecycleNotificationUrl ?? notificationUrl] as string[])) {
      const problem = await handshakeProblem(address)
      if (problem !== null) return refusal(400, 'ValidationError', `Subscription validation request failed. ${problem}`)
    }
    const subscription: GraphSubscription = {
      id: randomUUID(),
      calendar,
      account,
      resource: resource as string,
      notificationUrl,
      lifecycleNotificationUrl: (lifecycleNotificationUrl as string | undefined) ?? null,
      clientState: (clientState as string | undefined) ?? null,
      expiresAt,
    }
    this.subscriptions.set(subscription.id, subscription)
    return { status: 201, body: shown(subscription) }
  }

  change(id: string, request: Request, account: StandInAccount): Reply {
    const subscription = this.own(id, account)
    if (subscription === null) return gone()
    const expiresAt = this.expiryOf(jsonOf(request)?.expirationDateTime)
    if (typeof expiresAt !== 'number') return expiresAt
    subscription.expiresAt = expiresAt
    return { status: 200, body: shown(subscription) }
  }

  delete(id: string, account: StandInAccount): Reply {
    const subscription = this.own(id, account)
    if (subscription === null) return gone()
    this.subscriptions.delete(id)
    return { status: 204 }
  }

  /** One notification. Its id is that of one event; other events may have changed too. */
  changed(calendar: StandInCalendar): void {
    for (const subscription of this.live) {
      if (subscription.calendar !== calendar) continue
      const id = [...calendar.events.values()].sort((one, other) => other.revision - one.revision)[0]?.id ?? ''
      this.push(subscription, subscription.notificationUrl, {
        changeType: 'updated',
        resource: `Users/${this.tenantId}/Events/${id}`,
        resourceData: {
          '@odata.type': '#Microsoft.Graph.Event',
          '@odata.id': `Users/${this.tenantId}/Events/${id}`,
          '@odata.etag': 'W/"stand-in"',
          id,
        },
      })
    }
  }

  /** `subscriptionRemoved` also removes it. */
  lifecycle(event: LifecycleEvent): void {
    for (const subscription of this.live) {
      if (event === 'subscriptionRemoved') this.subscriptions.delete(subscription.id)
      if (subscription.lifecycleNotificationUrl !== null)
        this.push(subscription, subscription.lifecycleNotificationUrl, {
          lifecycleEvent: event,
          resource: subscription.resource,
          organizationId: this.tenantId,
        })
    }
  }

  private push(subscription: GraphSubscription, address: string, more: Record<string, unknown>): void {
    const { id, clientState, expiresAt } = subscription
    const value = {
      subscriptionId: id,
      subscriptionExpirationDateTime: new Date(expiresAt).toISOString(),
      ...(clientState !== null && { clientState }),
      tenantId: this.tenantId,
      ...more,
    }
    const body = JSON.stringify({ value: [value] })
    this.pushes.send({ address, headers: { 'content-type': 'application/json; charset=utf-8' }, body })
  }

  private own(id: string, account: StandInAccount): GraphSubscription | null {
    const subscription = this.live.find((one) => one.id === id)
    return subscription?.account === account ? subscription : null
  }

  private expiryOf(text: unknown): number | Reply {
    const expiresAt = typeof text === 'string' ? Date.parse(text) : Number.NaN
    if (!(expiresAt > this.clock.now())) return badRequest('The expirationDateTime is missing or in the past.')
    if (expiresAt > this.clock.now() + MAX_MS)
      return badRequest('Subscription expiration can only be 4230 minutes in the future.')
    return expiresAt
  }
}

const gone = () => refusal(404, 'ResourceNotFound', 'The object was not found.')

function calendarOf(resource: string, account: StandInAccount): StandInCalendar | undefined {
  const [, id] = /^\/?me\/calendars\/([^/]+)\/events$/.exec(resource) ?? []
  if (id !== undefined) return account.calendars.find((calendar) => calendar.id === decodeURIComponent(id))
  return /^\/?me\/events$/.test(resource) ? account.primary : undefined
}

/** The receiver has to send the token back as plain text. */
async function handshakeProblem(address: string): Promise<string | null> {
  // With characters that have to be decoded and must not be read as HTML.
  const token = `Validation: Testing client application reachability <${randomUUID()}>&"+`
  const url = new URL(address)
  url.searchParams.set('validationToken', token)
  try {
    const response = await fetch(url, { method: 'POST', signal: AbortSignal.timeout(HANDSHAKE_MS), redirect: 'manual' })
    const text = await response.text()
    if (response.status !== 200) return `Notification endpoint must respond with 200 OK, not ${response.status}.`
    if (!response.headers.get('content-type')?.startsWith('text/plain')) return 'The content type must be text/plain.'
    return text === token ? null : 'The validation token was not sent back.'
  } catch {
    return 'The endpoint did not answer within 10 seconds.'
  }
}

function shown(subscription: GraphSubscription) {
  return {
    '@odata.context': 'https://graph.microsoft.com/v1.0/$metadata#subscriptions/$entity',
    id: subscription.id,
    resource: subscription.resource,
    changeType: 'created,updated,deleted',
    clientState: null,
    notificationUrl: subscription.notificationUrl,
    lifecycleNotificationUrl: subscription.lifecycleNotificationUrl,
    expirationDateTime: new Date(subscription.expiresAt).toISOString(),
  }
}
