/** A real SMTP server on this machine, with configurable behaviour, which keeps the received mails. */

import type { AddressInfo } from 'node:net'
import { createServer, type Server } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import type { MailServer } from '../../../control-plane/outgoing/mailer.ts'

interface TakenMail {
  from: string
  /** Of the envelope. */
  to: string[]
  /** As it came over the wire. */
  raw: string
  /** Unfolded, in the order of the mail; names in lower case. */
  headers: [name: string, value: string][]
  text: string
  user: string | undefined
  isSecure: boolean
}

export interface TestSmtp {
  server: MailServer
  taken: TakenMail[]
  close(): Promise<void>
}

/** By default it asks for no login and offers no TLS. */
export async function startSmtp(options: SMTPServerOptions = {}): Promise<TestSmtp> {
  const taken: TakenMail[] = []
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: options.key === undefined ? ['STARTTLS'] : [],
    allowInsecureAuth: true,
    logger: false,
    disableReverseLookup: true,
    onData(stream, session, done) {
      const pieces: Buffer[] = []
      stream.on('data', (piece: Buffer) => pieces.push(piece))
      stream.on('end', () => {
        const raw = Buffer.concat(pieces).toString()
        const { mailFrom, rcptTo } = session.envelope
        const [head = '', ...body] = raw.split('\r\n\r\n')
        taken.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          raw,
          headers: head
            .replace(/\r\n[ \t]/g, ' ')
            .split('\r\n')
            .map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
          text: decoded(head, body.join('\r\n\r\n')),
          user: session.user === undefined ? undefined : String(session.user),
          isSecure: session.secure === true,
        })
        done(null, 'queued as 1')
      })
    },
    ...options,
  })
  smtp.on('error', () => {})
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve))
  const { port } = smtp.server.address() as AddressInfo
  return {
    server: plainServer(port),
    taken,
    close: () => new Promise((resolve) => smtp.close(() => resolve())),
  }
}

export const plainServer = (port: number): MailServer => ({
  host: '127.0.0.1',
  port,
  security: 'offered',
  login: null,
  from: { name: 'Standin', address: 'standin@service.test' },
})

/** A port that takes connections and says nothing. */
export async function startSilentServer(): Promise<{ server: MailServer; close(): Promise<void> }> {
  const sockets = new Set<{ destroy(): void }>()
  const silent: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  return {
    server: plainServer((silent.address() as AddressInfo).port),
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => silent.close(resolve))
    },
  }
}

function decoded(head: string, body: string): string {
  const encoding = /content-transfer-encoding: *(\S+)/i.exec(head)?.[1]?.toLowerCase()
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString()
  if (encoding !== 'quoted-printable') return body
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_whole, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}
