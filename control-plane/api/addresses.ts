/** Addresses that a caller names, checked before the service connects to them. */
import { type BotRequest, problemOfTokenExtra } from '../bots/request.ts'
import type { GuardedClient } from '../ports.ts'

/**
 * Place and sentence of the first address that must not be used, such as `callback_config/url is on a private network`.
 * `extra` is sent to the addresses of tokens, within them.
 */
export function addressProblem(
  client: Pick<GuardedClient, 'problemOf'>,
  request: BotRequest,
  extra: unknown = null,
): string | null {
  const { images, streaming, callback, webhookUrl, conferencing } = request
  const named: [place: string, url: string | null | undefined][] = [
    ...images.map((url): [string, string] => ['bot_image', url]),
    ['streaming_config/input_url', streaming?.inputUrl],
    ['streaming_config/output_url', streaming?.outputUrl],
    ['callback_config/url', callback?.url],
    ['webhook_url', webhookUrl],
    ['conf_config/obf_token_url', conferencing?.obfTokenUrl],
    ['conf_config/zak_token_url', conferencing?.zakTokenUrl],
  ]
  for (const [place, url] of named) {
    if (url === null || url === undefined) continue
    // The rules are the same for WebSockets, whose addresses the client does not know.
    const problem = client.problemOf(url.replace(/^ws(s?):/i, 'http$1:'))
    if (problem !== null) return `${place}: ${problem}`
  }
  const asksForTokens = Boolean(conferencing?.obfTokenUrl ?? conferencing?.zakTokenUrl)
  return asksForTokens ? problemOfTokenExtra(extra) : null
}
