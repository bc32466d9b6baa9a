/** The body that Microsoft Graph posts: several notifications at once. */
import { z } from 'zod'
import type { Notification } from '../../calendars/operations.ts'

const MAX_NOTIFICATIONS = 1000

const notifications = z.object({
  value: z
    .array(
      z.object({
        subscriptionId: z.string().min(1).max(200),
        /** The token that we gave; a notification without one is not ours. */
        clientState: z.string().max(200).nullish(),
        lifecycleEvent: z.string().max(100).nullish(),
      }),
    )
    .max(MAX_NOTIFICATIONS),
})

const LIFECYCLE_KINDS: Readonly<Record<string, 'missed' | 'removed' | 'reauthorize'>> = {
  missed: 'missed',
  subscriptionRemoved: 'removed',
  reauthorizationRequired: 'reauthorize',
}

/**
 * Each kind once for each subscription; null if the body is not from Graph. Lifecycle events that are new are left
 * out.
 */
export function readNotifications(body: unknown): Notification[] | null {
  const read = notifications.safeParse(body)
  if (!read.success) return null
  const found = read.data.value.flatMap(({ subscriptionId, clientState, lifecycleEvent }): Notification[] => {
    const token = clientState ?? ''
    if (!lifecycleEvent) return [{ platform: 'microsoft', subscriptionId, token, kind: 'changed' }]
    const kind = LIFECYCLE_KINDS[lifecycleEvent]
    return kind === undefined ? [] : [{ platform: 'microsoft', subscriptionId, token, kind }]
  })
  return [...new Map(found.map((notification) => [JSON.stringify(notification), notification])).values()]
}
