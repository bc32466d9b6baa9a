/** Tokens that let the bot into meetings of other accounts; the bot gets a fresh one before every attempt. */

import type { ErrorCode } from '@standin/wire/codes.ts'
import type { ConfCredentials, TokenOrigin } from '../../../packages/core/conf-credentials.ts'
import { BotError } from '../../../packages/core/errors.ts'
import { fetchPublic } from '../../../packages/core/network/safe-fetch.ts'

/** An answer takes at most 15 s and is the bare token as plain text (docs/connections.md#send-a-bot-with-it). */
const ANSWER_MS = 15_000
const MAX_BYTES = 8192
/** Visible ASCII; text that begins like JSON or HTML is another kind of answer. */
const TOKEN = /^(?![{["<])[!-~]{1,4096}$/

/** Gets the bytes at an address; rejects with a sentence without secrets. */
export type FetchToken = (
  address: string,
  limits: { maxBytes: number; timeoutMs: number; accept: string },
) => Promise<Uint8Array>

/**
 * Tokens that the SDK's `join` takes beside the signature. Never both: Zoom refuses that
 * (docs/platform-notes/zoom.md#join-parameters).
 */
export type JoinTokens = { obfToken: string } | { zak: string } | Record<string, never>

/**
 * Where both are configured the on-behalf-of token comes first
 * (docs/platform-notes/zoom.md#outcomes-before-the-browser). Rejects with CONF_OBF_TOKEN_ERROR or
 * CONF_ACCESS_TOKEN_ERROR; the attempt may be repeated where an address failed.
 */
export async function getTokens(given: ConfCredentials, fetchToken: FetchToken = fetchPublic): Promise<JoinTokens> {
  const { onBehalfToken, accessKey } = given
  if (onBehalfToken) return { obfToken: await tokenOf(onBehalfToken, given, fetchToken, 'CONF_OBF_TOKEN_ERROR') }
  if (accessKey) return { zak: await tokenOf(accessKey, given, fetchToken, 'CONF_ACCESS_TOKEN_ERROR') }
  return {}
}

async function tokenOf(
  origin: TokenOrigin,
  asker: Pick<ConfCredentials, 'botId' | 'extra'>,
  fetchToken: FetchToken,
  code: ErrorCode,
): Promise<string> {
  const failed = (reason: string, canRetry: boolean, cause?: unknown) =>
    new BotError(code, `${code === 'CONF_OBF_TOKEN_ERROR' ? 'The on-behalf-of token' : 'The access key'} ${reason}.`, {
      step: 'token',
      canRetry,
      cause,
    })
  if ('value' in origin) {
    if (TOKEN.test(origin.value)) return origin.value
    throw failed('of the job is no bare token', false)
  }
  if ('next' in origin) {
    const fresh = await origin.next()
    if (TOKEN.test(fresh)) return fresh
    throw failed('of the control plane is no bare token', false)
  }
  let text: string
  try {
    const limits = { maxBytes: MAX_BYTES, timeoutMs: ANSWER_MS, accept: 'text/plain' }
    text = Buffer.from(await fetchToken(addressFor(origin.url, asker), limits))
      .toString('utf8')
      .trim()
  } catch (error) {
    throw failed(
      `could not be fetched: ${error instanceof Error ? error.message : 'the address did not answer'}`,
      true,
      error,
    )
  }
  if (text === '') throw failed(`could not be fetched: ${hostOf(origin.url)} answered with nothing`, true)
  if (!TOKEN.test(text))
    throw failed(`could not be fetched: ${hostOf(origin.url)} must answer with the bare token as plain text`, false)
  return text
}

/**
 * The address with the parameters that identify the bot. They are appended to the text, since an address that is itself
 * signed must not be encoded again. `bot_id` is the newer name of `bot_uuid` (docs/connections.md#send-a-bot-with-it).
 */
export function addressFor(address: string, { botId, extra }: Pick<ConfCredentials, 'botId' | 'extra'>): string {
  const bare = address.replace(/#.*$/s, '')
  const added = { bot_uuid: botId, bot_id: botId, ...(extra ? { extra: JSON.stringify(extra) } : {}) }
  const query = Object.entries(added).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return `${bare}${bare.includes('?') ? '&' : '?'}${query.join('&')}`
}

function hostOf(address: string): string {
  return new URL(address).host
}
