/** Subscriptions to the changes of a calendar, with the notifications about the subscription itself. */
import { z } from 'zod'
import { ProviderError } from '../../../platform/ports.ts'
import type { Subscription, WatchRequest } from '../../ports.ts'
import { shortText } from '../fields.ts'
import { bodyOf, segment } from '../responses.ts'
import { instantOf } from '../wall-clock.ts'
import { type MicrosoftSettings, NAME, sendToGraph } from './calls.ts'

/** The longest life of a subscription to events, and a minute less for clocks that differ. */
const LIFE_MS = (4230 - 1) * 60_000

const subscription = z.object({ id: z.string().min(1).max(1024), expirationDateTime: shortText })

const expiry = ({ clock }: MicrosoftSettings) => new Date(clock.now() + LIFE_MS)

export async function subscribe(
  settings: MicrosoftSettings,
  accessToken: string,
  calendarId: string,
  request: WatchRequest,
): Promise<Subscription> {
  const what = 'the subscription to changes'
  const expiresAt = expiry(settings)
  const response = await sendToGraph(settings.http, {
    what,
    url: `${settings.graph}/v1.0/subscriptions`,
    method: 'POST',
    accessToken,
    json: {
      changeType: 'created,updated,deleted',
      notificationUrl: request.address,
      lifecycleNotificationUrl: request.lifecycleAddress,
      resource: `/me/calendars/${segment(calendarId)}/events`,
      expirationDateTime: expiresAt.toISOString(),
      clientState: request.token,
    },
    secrets: [request.token],
  })
  const { id, expirationDateTime } = bodyOf(response, subscription, NAME, what)
  return { id, resourceId: null, expiresAt: sooner(expirationDateTime, expiresAt) }
}

/** Rejects with `not_found` if the subscription is gone: a new one is needed, and a full reading. */
export async function prolong(
  settings: MicrosoftSettings,
  accessToken: string,
  { id }: Subscription,
): Promise<Subscription> {
  const what = 'the renewal of the subscription'
  const expiresAt = expiry(settings)
  const response = await sendToGraph(settings.http, {
    what,
    url: `${settings.graph}/v1.0/subscriptions/${segment(id)}`,
    method: 'PATCH',
    accessToken,
    json: { expirationDateTime: expiresAt.toISOString() },
  })
  const { expirationDateTime } = bodyOf(response, subscription, NAME, what)
  return { id, resourceId: null, expiresAt: sooner(expirationDateTime, expiresAt) }
}

export async function unsubscribe(
  settings: MicrosoftSettings,
  accessToken: string,
  { id }: Subscription,
): Promise<void> {
  try {
    await sendToGraph(settings.http, {
      what: 'the end of the subscription',
      url: `${settings.graph}/v1.0/subscriptions/${segment(id)}`,
      method: 'DELETE',
      accessToken,
    })
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind !== 'not_found') throw error
  }
}

/** The provider may grant less than was asked for. */
function sooner(granted: string | null, asked: Date): Date {
  const instant = granted === null ? null : instantOf(granted)
  return instant !== null && instant < asked ? instant : asked
}
