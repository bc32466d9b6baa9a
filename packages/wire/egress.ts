/** The proxy through which a bot's browser reaches its meeting. */

import { z } from 'zod'
import { problemOfServer } from './network/server-address.ts'

const PROTOCOLS = ['http:', 'https:', 'socks5:']

/** The address may hold a user name and a password, so no message repeats it. */
function problemOfProxy(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !PROTOCOLS.includes(url.protocol))
    return 'must be an address that starts with http://, https:// or socks5://'
  if (url.protocol === 'socks5:' && url.hostname !== '' && url.port === '') return 'names no port'
  return problemOfServer(url)
}

const proxyAddress = z
  .string()
  .max(2048)
  .superRefine((text, context) => {
    const problem = problemOfProxy(text)
    if (problem !== null) context.addIssue(problem)
  })
  .describe('http://, https:// or socks5://, with user name and password if the proxy wants them.')

export const egressSchema = z.strictObject({
  proxy: proxyAddress,
  media: z
    .enum(['proxy', 'direct'])
    .default('proxy')
    .describe(
      "proxy: sound and pictures of the meeting pass the proxy over TCP, if the platform's servers take that, and never go around it; direct: they go around it over UDP.",
    ),
})
export type Egress = z.infer<typeof egressSchema>
