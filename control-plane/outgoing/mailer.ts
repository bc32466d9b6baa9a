/** The only way to the operator's mail server. Nothing that a mail says can add a header or a recipient to it. */
import { createTransport } from 'nodemailer'
import { z } from 'zod'
import { type Mailer, MailRefused } from '../ports.ts'

export interface MailServer {
  host: string
  port: number
  /** `smtps`: TLS from the first byte. `starttls`: TLS or nothing. `offered`: TLS where the server offers it. */
  security: 'smtps' | 'starttls' | 'offered'
  /** Null: the server asks for none. */
  login: { user: string; password: string } | null
  from: { name: string; address: string }
}

const CONNECT_MS = 10_000
const SILENCE_MS = 15_000
/** Of everything; shorter than the lease of a delivery. */
const WHOLE_MS = 30_000
const KEPT_CHARACTERS = 500

const oneAddress = z.email().max(254)

/** `ca`: PEM of further authorities; those of Node if it is left out. */
export function createMailer(
  server: MailServer,
  { wholeMs = WHOLE_MS, ca }: { wholeMs?: number; ca?: string } = {},
): Mailer {
  const { host, port, security, login, from } = server
  const transport = createTransport({
    host,
    port,
    secure: security === 'smtps',
    requireTLS: security === 'starttls',
    ...(ca !== undefined && { tls: { ca } }),
    ...(login && { auth: { user: login.user, pass: login.password } }),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const domain = from.address.split('@')[1]!
  return {
    async send({ to, subject, text, id }) {
      // A list or a group would be read as several addresses, in the envelope too.
      if (!oneAddress.safeParse(to).success) throw new MailRefused('This is not one mail address', null, true)
      try {
        const { response } = await transport.sendMail({
          from,
          to: { name: '', address: to },
          // Not taken from the headers: this one address and no other.
          envelope: { from: from.address, to: [to] },
          subject: oneLine(subject),
          text,
          messageId: `<${id}@${domain}>`,
          headers: { 'Auto-Submitted': 'auto-generated' },
          xMailer: false,
          signal: AbortSignal.timeout(wholeMs),
        })
        return { status: statusOf(response), answer: kept(response) }
      } catch (error) {
        throw refusalOf(error as SmtpError)
      }
    },
  }
}

interface SmtpError extends Error {
  code?: string
  /** Of the socket or the certificate. */
  originalCode?: string
  response?: string | false
  responseCode?: number
}

/** The server's text of other refusals may hold the operator's data, such as a user name. */
const ABOUT_THE_MAIL = new Set(['EENVELOPE', 'EMESSAGE'])
const REASONS: Readonly<Record<string, string>> = {
  EAUTH: 'The mail server refused the sign-in of this service',
  ETLS: 'The mail server has no valid TLS',
  EDNS: 'The host of the mail server has no address',
  EABORT: 'The mail server did not finish in time',
  ETIMEDOUT: 'The mail server did not answer in time',
  EPROTOCOL: 'The mail server did not answer in SMTP',
}

function refusalOf({ code = '', originalCode = code, response, responseCode }: SmtpError): MailRefused {
  if (ABOUT_THE_MAIL.has(code) && response && responseCode !== undefined)
    return new MailRefused(`The mail server refused the mail: ${kept(response)}`, responseCode, responseCode >= 500)
  const isAboutTrust = /CERT|ISSUER|ALTNAME/.test(originalCode)
  const unknown = isAboutTrust
    ? 'The certificate of the mail server is not trusted'
    : 'The mail server could not be reached'
  return new MailRefused(REASONS[code] ?? `${unknown} (${originalCode})`, null, false)
}

const statusOf = (response: string): number | null => {
  const status = Number(/^\d{3}/.exec(response)?.[0])
  return status > 0 ? status : null
}

/** Control and format characters become spaces, so that one line stays one line and reads from left to right. */
const oneLine = (text: string): string => text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').trim()
const kept = (response: string): string => oneLine(response).slice(0, KEPT_CHARACTERS)
