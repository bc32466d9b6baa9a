/** Channels that watch a calendar, and their push notifications. */
import { createHash } from 'node:crypto'
import { canBeWatched, jsonOf, type Reply, type Request } from '../../shared/scripted-server.ts'
import type { StandInAccount } from '../account.ts'
import type { StandInCalendar } from '../calendar.ts'
import type { StandInClock } from '../clock.ts'
import { Pushes } from '../pushes.ts'
import { notFound, refusal } from './refusals.ts'

export interface Channel {
  id: string
  resourceId: string
  address: string
  token: string | null
  /** UTC milliseconds. */
  expiresAt: number
  calendar: StandInCalendar
  account: StandInAccount
  messages: number
}

const MAX_MS = 604_800_000
const RETRIED = new Set([500, 502, 503, 504])

export class Channels {
  readonly pushes = new Pushes((status) => RETRIED.has(status))
  private readonly channels = new Map<string, Channel>()
  /** Ids can never be used again. */
  private readonly usedIds = new Set<string>()
  private readonly clock: StandInClock
  private readonly base: () => string

  constructor(clock: StandInClock, base: () => string) {
    this.clock = clock
    this.base = base
  }

  /** Those that are live. */
  get live(): Channel[] {
    return [...this.channels.values()].filter(({ expiresAt }) => expiresAt > this.clock.now())
  }

  watch(request: Request, calendar: StandInCalendar, account: StandInAccount): Reply {
    const { id, type, address, token, expiration, params } = (jsonOf(request) ?? {}) as Record<string, unknown>
    if (!calendar.canWatch)
      return refusal(
        400,
        'pushNotSupportedForRequestedResource',
        'Push notifications are not supported by this resource.',
      )
    if (typeof id !== 'string' || !/^[A-Za-z0-9\-_+/=]{1,64}$/.test(id))
      return refusal(400, 'invalid', 'Invalid channel id.')
    if (type !== 'web_hook') return refusal(400, 'invalid', 'Unknown channel type.')
    if (!canBeWatched(address)) return refusal(400, 'push.webhookUrlNotHttps', 'WebHook callback must be HTTPS.')
    if (token !== undefined && (typeof token !== 'string' || token.length > 256))
      return refusal(400, 'invalid', 'The channel token is too long.')
    if (this.usedIds.has(id)) return refusal(400, 'channelIdNotUnique', `Channel id ${id} not unique`)
    const ttl = Number((params as { ttl?: unknown } | undefined)?.ttl ?? MAX_MS / 1000) * 1000
    const asked = expiration === undefined ? this.clock.now() + ttl : Number(expiration)
    if (!(asked > this.clock.now())) return refusal(400, 'invalid', 'The expiration is in the past.')
    const channel: Channel = {
      id,
      resourceId: createHash('sha256').update(`${account.email} ${calendar.id}`).digest('base64url').slice(0, 27),
      address,
      token: token ?? null,
      expiresAt: Math.min(asked, this.clock.now() + MAX_MS),
      calendar,
      account,
      messages: 0,
    }
    this.usedIds.add(id)
    this.channels.set(id, channel)
    return {
      status: 200,
      body: {
        kind: 'api#channel',
        id,
        resourceId: channel.resourceId,
        resourceUri: this.uriOf(channel),
        ...(channel.token !== null && { token: channel.token }),
        expiration: String(channel.expiresAt),
      },
      afterwards: () => this.push(channel, 'sync'),
    }
  }

  stop(request: Request, account: StandInAccount): Reply {
    const { id, resourceId } = (jsonOf(request) ?? {}) as Record<string, unknown>
    const channel = typeof id === 'string' ? this.channels.get(id) : undefined
    if (channel?.resourceId !== resourceId || channel?.account !== account) return notFound()
    this.channels.delete(channel.id)
    return { status: 204 }
  }

  changed(calendar: StandInCalendar): void {
    for (const channel of this.live) if (channel.calendar === calendar) this.push(channel, 'exists')
  }

  private push(channel: Channel, state: 'sync' | 'exists'): void {
    // Numbers rise and are not consecutive.
    channel.messages += channel.messages === 0 ? 1 : 1 + Math.floor(Math.random() * 5)
    this.pushes.send({
      address: channel.address,
      headers: {
        'x-goog-channel-id': channel.id,
        'x-goog-channel-expiration': new Date(channel.expiresAt).toUTCString(),
        'x-goog-resource-id': channel.resourceId,
        'x-goog-resource-uri': this.uriOf(channel),
        'x-goog-resource-state': state,
        'x-goog-message-number': String(channel.messages),
        ...(channel.token !== null && { 'x-goog-channel-token': channel.token }),
      },
      body: null,
    })
  }

  private uriOf({ calendar }: Channel): string {
    return `${this.base()}/calendar/v3/calendars/${encodeURIComponent(calendar.id)}/events?alt=json`
  }
}
