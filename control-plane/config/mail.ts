/** The operator's mail server. */
import { isIP } from 'node:net'
import { z } from 'zod'
import type { MailServer } from '../outgoing/mailer.ts'
import type { Given } from './values.ts'

const PORTS = { 'smtp:': 587, 'smtps:': 465 } as const
const URL_CURE =
  'Write smtp://user:password@mail.example.com:587 or smtps://…; encode special characters as in addresses'
const SENDER = /^(?:(?<name>[^<>"\p{C}]{1,100}?)\s*<(?<inner>[^<>]+)>|(?<plain>[^<>\s]+))$/u

/** Null without a mail server. The address may hold a password, so its text is not repeated. */
export function mailOf(ofVariable: (name: string) => Given | null): MailServer | null {
  const url = ofVariable('STANDIN_SMTP_URL')
  const sender = ofVariable('STANDIN_MAIL_FROM')
  const from = senderOf(sender)
  if (url === null) {
    sender?.report(sender.place, 'needs a mail server', 'Set STANDIN_SMTP_URL too, or leave both out')
    return null
  }
  const server = serverOf(url)
  if (sender === null)
    url.report('STANDIN_MAIL_FROM', 'is missing', 'Write the sender of mail, such as Standin <standin@example.com>')
  return server !== null && from !== null ? { ...server, from } : null
}

function serverOf(given: Given): Omit<MailServer, 'from'> | null {
  const url = URL.canParse(given.text) ? new URL(given.text) : null
  const problem = url === null ? 'is not the address of a mail server' : problemOf(url)
  if (url === null || problem !== null) {
    given.report(given.place, problem ?? '', URL_CURE)
    return null
  }
  const { protocol, port } = url
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const login =
    url.username === '' ? null : { user: decodeURIComponent(url.username), password: decodeURIComponent(url.password) }
  return {
    host,
    port: port === '' ? PORTS[protocol as keyof typeof PORTS] : Number(port),
    security: protocol === 'smtps:' ? 'smtps' : login !== null && !isLoopback(host) ? 'starttls' : 'offered',
    login,
  }
}

function problemOf(url: URL): string | null {
  if (!(url.protocol in PORTS)) return 'does not start with smtp:// or smtps://'
  if (!/^[A-Za-z0-9_.:[\]-]{1,255}$/.test(url.hostname)) return 'names no host'
  if (url.port === '0') return 'names port 0'
  if (url.search !== '' || url.hash !== '' || url.pathname.length > 1) return 'has a part behind the port'
  if (url.username === '' && url.password !== '') return 'has a password and no user'
  try {
    decodeURIComponent(url.username + url.password)
    return null
  } catch {
    return 'has a user or a password with a % that begins no code'
  }
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))

function senderOf(given: Given | null): MailServer['from'] | null {
  if (given === null) return null
  const { name = '', inner, plain } = SENDER.exec(given.text)?.groups ?? {}
  const address = inner ?? plain ?? ''
  if (z.email().max(254).safeParse(address).success) return { name: name.trim(), address }
  given.report(given.place, 'is not a mail address', 'Write standin@example.com or Standin <standin@example.com>')
  return null
}
