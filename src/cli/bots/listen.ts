/**
 * `standin bots listen` and `trigger`: webhooks for a program on this machine, which no endpoint of the service has to reach.
 * They are signed as those of the service are, with a secret that is always the same for an API key.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { answerOf, type Schemas, type StandinClient } from '@standin/client/index.ts'
import { CommandMistake, type Output } from '@standin/wire/process/command-output.ts'
import { systemClock } from '@standin/wire/time/deadline.ts'
import { signatureHeaders } from '@standin/wire/webhook-signature.ts'
import { shownText } from '../shown-text.ts'
import { isOnThisMachine, patiently } from './service.ts'

type Client = StandinClient['v2']
type Webhook = Schemas['SentWebhook']

const LOOK_EVERY_MS = 1000
const PAGE = 100
/** A transaction may be seen by so much later than others that began after it. */
const OVERLAP_MS = 5_000
/** As long as the service waits for an answer. */
const ANSWER_MS = 30_000

interface Receiver {
  /** Of the program that gets the webhooks. Absent: they are printed only. */
  forwardTo?: string | undefined
  apiKey: string
  signal: AbortSignal
}

/** Passes new webhooks of the team on, in their order and each once, until `signal` is aborted. */
export async function listen(
  client: Client,
  { events, ...receiver }: Receiver & { events?: readonly string[] | undefined },
  output: Output,
  onTrouble: (sentence: string) => void,
): Promise<void> {
  const { forwardTo, apiKey, signal } = receiver
  const read = (query: { created_after?: string; limit?: number; cursor?: string }) =>
    answerOf(
      client.GET('/v2/webhooks', {
        params: {
          query: { limit: PAGE, ...(events && { event: [...events] as Webhook['body']['event'][] }), ...query },
        },
      }),
    )
  /** Times of those that may be read again, by their ids. */
  const known = new Map<string, string>()

  async function readNew(newest: string | undefined): Promise<Webhook[]> {
    const after = newest && new Date(Date.parse(newest) - OVERLAP_MS).toISOString()
    for (const [id, at] of known) if (after && at < after) known.delete(id)
    const found: Webhook[] = []
    let cursor: string | null = null
    do {
      const page: Awaited<ReturnType<typeof read>> = await read({
        ...(after && { created_after: after }),
        ...(cursor !== null && { cursor }),
      })
      found.push(...page.data)
      cursor = page.cursor
    } while (cursor !== null)
    const fresh = found.filter(({ webhook_id: id }) => !known.has(id)).reverse()
    for (const { webhook_id: id, created_at: at } of fresh) known.set(id, at)
    return fresh
  }

  // The first request is not repeated: more often than the service, the address is wrong.
  const before = await read({ limit: 1 })
  let newest = before.data[0]?.created_at
  if (newest !== undefined) await readNew(newest)
  if (forwardTo !== undefined)
    output.note(`Webhooks go to ${forwardTo}, signed with this secret:\n\n  WEBHOOK_SECRET=${secretOf(apiKey)}\n`)
  output.note('Waiting for events. Ctrl-C ends.')
  while (!signal.aborted) {
    for (const webhook of await patiently(() => readNew(newest), { signal, onTrouble })) {
      newest = webhook.created_at
      await show(webhook, receiver, output)
    }
    await systemClock.sleep(LOOK_EVERY_MS, signal).catch(() => {})
  }
}

/** Sends a sample of the event. Whether the receiver accepted it. */
export async function trigger(
  event: string,
  serviceUrl: string,
  receiver: Receiver & { forwardTo: string },
  output: Output,
): Promise<boolean> {
  const document = (await (
    await fetch(`${serviceUrl.replace(/\/$/, '')}/openapi.json`, { signal: receiver.signal })
  ).json()) as {
    webhooks?: Record<string, { post: { requestBody: { content: Record<string, { example: object }> } } }>
  }
  const samples = document.webhooks ?? {}
  const sample = samples[event]?.post.requestBody.content['application/json']?.example
  if (sample === undefined)
    throw new CommandMistake(
      `There is no event "${shownText(event, 60)}"; there are ${Object.keys(samples).sort().join(', ')}`,
    )
  const id = `msg_${randomBytes(27).toString('hex').slice(0, 27)}`
  return show(
    { webhook_id: id, created_at: new Date().toISOString(), body: sample as Webhook['body'] },
    receiver,
    output,
  )
}

/** Passes it on and prints what became of it. Whether it was accepted. */
async function show(webhook: Webhook, receiver: Receiver, output: Output): Promise<boolean> {
  const { body, webhook_id: id, created_at: at } = webhook
  const { forwardTo } = receiver
  const { status, error } =
    forwardTo === undefined ? { status: null, error: null } : await post(webhook, { ...receiver, forwardTo })
  const data = body.data as Record<string, unknown> | undefined
  const subject = shownText(String(data?.bot_id ?? data?.calendar_id ?? data?.account_id ?? ''), 40)
  const detail = (data?.status as { code?: unknown } | undefined)?.code
  const what = [body.event, ...(typeof detail === 'string' ? [shownText(detail, 40)] : []), subject].join(' ')
  const outcome = forwardTo === undefined ? '' : ` → ${status ?? error}`
  const answer =
    forwardTo === undefined
      ? { webhook_id: id, created_at: at, body }
      : { webhook_id: id, event: body.event, status, error }
  output.answer(answer, [`${at.slice(11, 19)} ${what}${outcome}`])
  return status !== null && status >= 200 && status < 300
}

async function post(
  { webhook_id: id, body }: Webhook,
  { forwardTo, apiKey, signal }: Receiver & { forwardTo: string },
): Promise<{ status: number | null; error: string | null }> {
  const text = JSON.stringify(body)
  try {
    const answer = await fetch(forwardTo, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'standin-webhooks/1.0',
        // The key of a caller does not leave the machine.
        ...(isOnThisMachine(forwardTo) && { 'x-service-api-key': apiKey }),
        ...signatureHeaders(id, Math.floor(Date.now() / 1000), text, [secretOf(apiKey)]),
      },
      body: text,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
    })
    await answer.body?.cancel()
    return { status: answer.status, error: null }
  } catch (error) {
    const { message, cause } = error as Error & { cause?: { code?: string; message?: string } }
    return { status: null, error: `not reached: ${cause?.code ?? cause?.message ?? message}` }
  }
}

/** The same each time, so that a receiver keeps its setting. It says nothing about the key. */
export const secretOf = (apiKey: string) =>
  `whsec_${createHmac('sha256', apiKey).update('standin bots listen').digest('base64')}`
