/** Requests whose answer may take long to begin: a service recognizes a whole recording first. */
import { once } from 'node:events'
import { type IncomingMessage, request as requestPlain } from 'node:http'
import { request as requestTls } from 'node:https'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** Routers forget a connection that is silent for some minutes. */
const ALIVE_EVERY_MS = 60_000
/** Answers with these have no body, and `Response` takes none. */
const NO_BODY: ReadonlySet<number> = new Set([204, 205, 304])

/**
 * As `fetch`, which gives up an answer that does not begin within five minutes; here only the signal ends the wait. Redirects
 * are not followed: a key must not travel to where the operator did not send it.
 */
export const patientFetch: typeof fetch = async (input, init) => {
  // Not the request's own signal, which follows the caller's only for as long as the request is kept from the garbage collector.
  const { url, method, headers, body } = new Request(input, { ...init, signal: null })
  const signal = init?.signal ?? undefined
  const request = url.startsWith('https:') ? requestTls : requestPlain
  // A connection of its own, since one that is kept may end just when it is used again.
  const outgoing = request(url, { method, headers: Object.fromEntries(headers), signal, agent: false })
  outgoing.setSocketKeepAlive(true, ALIVE_EVERY_MS)
  // Later errors end the body of the answer, too.
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>
  outgoing.on('error', () => {})
  // A service may refuse before it has everything.
  pipeline(body ?? [], outgoing).catch(() => {})
  const [answer] = await answered
  const given = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)])
  const status = answer.statusCode!
  const isBodiless = NO_BODY.has(status)
  if (isBodiless) answer.resume()
  return new Response(isBodiless ? null : (Readable.toWeb(answer) as ReadableStream), { status, headers: given })
}
