/** One request to one endpoint. */
import { systemClock, within } from '@standin/wire/time/deadline.ts'
import { signatureHeaders } from '@standin/wire/webhook-signature.ts'
import type { ArtifactLinks, Clock, GuardedClient, OutgoingAnswer, Seals } from '../platform/ports.ts'
import { sealedKeyPlace } from '../store/teams/keys.ts'
import type { AttemptResult } from '../store/webhooks/deliveries.ts'
import type { ClaimedDelivery } from '../store/webhooks/delivery-claims.ts'
import { previousSecretPlace, secretPlace } from '../store/webhooks/endpoints.ts'
import { sentBody } from './bodies.ts'
import { nextDelay, timeLimitMs } from './schedule.ts'

/** Bytes of an answer that are kept. */
const KEPT_BYTES = 2_000
const USER_AGENT = 'standin-webhooks/1.0'

export interface AttemptTools {
  client: GuardedClient
  seals: Seals
  links: ArtifactLinks
  clock: Clock
  delays: readonly number[]
  random: () => number
}

export interface Attempted extends AttemptResult {
  /** No whole answer came in time. */
  isTimeout: boolean
}

export interface BuiltRequest {
  body: string
  headers: Record<string, string>
}

/** Rejects if a link, a key or the time for it is missing: that is no failure of the receiver. */
export async function buildRequest(
  delivery: ClaimedDelivery,
  { links, seals, clock }: Pick<AttemptTools, 'links' | 'seals' | 'clock'>,
  limitMs: number,
): Promise<BuiltRequest> {
  const late = () => new Error(`The request was not built within ${limitMs / 1000} s`)
  const body = JSON.stringify(await within(systemClock, limitMs, sentBody(delivery, links), late))
  const headers = {
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    ...authentication(delivery, body, seals, clock.now()),
  }
  return { body, headers }
}

/** Never rejects: an error becomes the result. */
export async function attemptDelivery(
  delivery: ClaimedDelivery,
  request: BuiltRequest,
  tools: Pick<AttemptTools, 'client' | 'clock' | 'delays' | 'random'>,
): Promise<Attempted> {
  const { client, clock, delays, random } = tools
  const started = performance.now()
  const sent = await send(delivery, request, client)
  const { answer, error } = sent
  const status = answer?.status ?? null
  const isDelivered = status !== null && status >= 200 && status < 300
  const isTimeout = (error as { code?: string } | null)?.code === 'ETIMEDOUT'
  const retryAfter = answer?.headers['retry-after']
  const next = () => nextDelay({ ...delivery, status, isTimeout, retryAfter }, delays, random(), clock.now())
  return {
    durationMs: performance.now() - started,
    status,
    error: error?.message ?? null,
    answer: answer === null ? null : textOf(answer),
    isDelivered,
    isTimeout,
    nextInSeconds: isDelivered ? null : next(),
    isGone: status === 410 && delivery.kind === 'team',
  }
}

async function send(
  delivery: ClaimedDelivery,
  request: BuiltRequest,
  client: GuardedClient,
): Promise<{ answer: OutgoingAnswer; error: null } | { answer: null; error: Error }> {
  try {
    const answer = await client.request({
      url: delivery.url,
      method: delivery.method,
      ...request,
      timeoutMs: timeLimitMs(delivery),
      maxBytes: KEPT_BYTES,
    })
    return { answer, error: null }
  } catch (error) {
    return { answer: null, error: error as Error }
  }
}

function authentication(delivery: ClaimedDelivery, body: string, seals: Seals, nowMs: number): Record<string, string> {
  const { endpoint_id: id, secret, previous_secret: previous, is_compat: isCompat } = delivery
  const current = secret === null ? [] : [seals.open(secret, secretPlace(id))]
  if (delivery.kind === 'callback') return named('x-service-secret', 'x-mb-secret', current[0], isCompat)
  const before = previous === null ? [] : [seals.open(previous, previousSecretPlace(id))]
  const secrets = [...current, ...before]
  return {
    ...named('x-service-api-key', 'x-meeting-baas-api-key', apiKeyOf(delivery, seals), isCompat),
    ...(secrets.length > 0 && signatureHeaders(delivery.message_id, Math.floor(nowMs / 1000), body, secrets)),
  }
}

/** The name of this service, and the public one where the bot was made under public names. */
function named(name: string, publicName: string, value: string | undefined, isCompat: boolean): Record<string, string> {
  if (value === undefined) return {}
  return { [name]: value, ...(isCompat && { [publicName]: value }) }
}

function apiKeyOf({ api_key_id: id, api_key_sealed: sealed }: ClaimedDelivery, seals: Seals): string | undefined {
  if (id === null || sealed === null) return undefined
  return seals.open(sealed, sealedKeyPlace(id))
}

/** PostgreSQL's text holds no NUL. */
function textOf({ body }: OutgoingAnswer): string {
  return Buffer.from(body).toString('utf8').replaceAll('\0', '')
}
