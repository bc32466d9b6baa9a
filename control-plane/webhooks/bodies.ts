/** The bytes that are sent: a stored body with its placeholders filled in. */
import type { LinkPlaceholder } from '../bots/messages/placeholders.ts'
import { publicCode } from '../bots/public-names.ts'
import type { ArtifactLinks } from '../platform/ports.ts'
import type { ClaimedDelivery } from '../store/webhooks/delivery-claims.ts'

/** What the body of a stored message depends on. */
type StoredMessage = Pick<ClaimedDelivery, 'body' | 'bot_id' | 'is_compat' | 'message_created_at'>

/** The body as it is sent. Links are signed now, so that they work for their whole time after each attempt. */
export async function sentBody(message: StoredMessage, links: ArtifactLinks): Promise<Record<string, unknown>> {
  const body = (await filled(message.body, message, links)) as Record<string, unknown>
  return message.is_compat ? withPublicNames(body) : body
}

async function filled(value: unknown, delivery: StoredMessage, links: ArtifactLinks): Promise<unknown> {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return Promise.all(value.map((entry) => filled(entry, delivery, links)))
  const { $link, seconds, otherwise = null } = value as Record<keyof LinkPlaceholder, unknown>
  if (typeof $link === 'string' && typeof seconds === 'number') {
    return (delivery.bot_id === null ? null : await links.sign(delivery.bot_id, $link, seconds)) ?? otherwise
  }
  if ('$page' in value) return `${links.publicUrl}${value.$page}`
  if ('$sentAt' in value) return new Date(delivery.message_created_at).toISOString()
  if ('$olderTranscript' in value) return delivery.bot_id === null ? [] : links.olderTranscript(delivery.bot_id)
  const entries = await Promise.all(
    Object.entries(value).map(async ([name, entry]) => [
      name,
      // The caller's value is returned unchanged.
      name === 'extra' ? entry : await filled(entry, delivery, links),
    ]),
  )
  return Object.fromEntries(entries)
}

/** Codes by their public words, no provider; `extra` and `mp4` also if the public guide shows them. */
function withPublicNames(body: Record<string, unknown>): Record<string, unknown> {
  const data = { ...(body.data as Record<string, unknown> | undefined) }
  for (const field of ['error_code', 'error']) {
    const code = data[field]
    if (typeof code === 'string') data[field] = publicCode(code)
  }
  const { status } = data
  if (typeof status === 'object' && status !== null && 'error_type' in status)
    data.status = { ...status, error_type: publicCode(String(status.error_type)) }
  // Clients fail on a provider that they do not know.
  if ('transcription_provider' in data) data.transcription_provider = null
  if (typeof data.message === 'string') {
    data.message = data.message.replace(/\[([A-Z_]+)\]$/, (_whole, code: string) => `[${publicCode(code)}]`)
  }
  if ('extra' in body && !('extra' in data)) data.extra = body.extra
  if (body.event === 'bot.completed') data.mp4 = data.video
  return { ...body, data }
}
