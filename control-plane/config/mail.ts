/** Kinds of the settings of the operator's mail server. */

import { isIP } from 'node:net'
import { problemOfServer } from '@standin/base/server-address.ts'
import { z } from 'zod'
import type { MailServer } from '../outgoing/mailer.ts'
import { kind } from './kind.ts'

const PORTS = { 'smtp:': 587, 'smtps:': 465 } as const
const SENDER = /^(?:(?<name>[^<>"\p{C}]{1,100}?)\s*<(?<inner>[^<>]+)>|(?<plain>[^<>\s]+))$/u

/** The address may hold a password, so no message repeats it. */
export const mailServer = kind(
  'Write smtp://user:password@mail.example.com:587 or smtps://…; encode special characters as in addresses',
  (text): Omit<MailServer, 'from'> => {
    const url = URL.canParse(text) ? new URL(text) : null
    const problem = url === null ? 'is not the address of a mail server' : problemOf(url)
    if (url === null || problem !== null) throw new Error(problem ?? '')
    const { protocol, port } = url
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
    const login =
      url.username === ''
        ? null
        : { user: decodeURIComponent(url.username), password: decodeURIComponent(url.password) }
    return {
      host,
      port: port === '' ? PORTS[protocol as keyof typeof PORTS] : Number(port),
      security: protocol === 'smtps:' ? 'smtps' : login !== null && !isLoopback(host) ? 'starttls' : 'offered',
      login,
    }
  },
)

function problemOf(url: URL): string | null {
  if (!(url.protocol in PORTS)) return 'does not start with smtp:// or smtps://'
  return problemOfServer(url)
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))

export const mailSender = kind('Write standin@example.com or Standin <standin@example.com>', (text) => {
  const { name = '', inner, plain } = SENDER.exec(text)?.groups ?? {}
  const address = inner ?? plain ?? ''
  if (!z.email().max(254).safeParse(address).success) throw new Error('is not a mail address')
  return { name: name.trim(), address }
})
