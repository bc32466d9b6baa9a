/** Mail to a real SMTP server: what arrives, and the problem of each kind of failure. */

import { makeCertificate } from '@standin/mock/shared/certificate.ts'
import { afterEach, describe, expect, test } from 'vitest'
import { createMailer, type MailServer } from '../../../control-plane/outgoing/mailer.ts'
import { MailRefused } from '../../../control-plane/ports.ts'
import { plainServer, startSilentServer, startSmtp } from './smtp-server.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function smtp(options: Parameters<typeof startSmtp>[0] = {}) {
  const started = await startSmtp(options)
  cleanups.push(started.close)
  return started
}

const MAIL = { to: 'ada@example.com', subject: 'Alert: bots crash', text: 'Three bots crashed.', id: 'msg_1.7' }
const refusalOf = (server: MailServer, wholeMs?: number): Promise<MailRefused> =>
  createMailer(server, wholeMs === undefined ? {} : { wholeMs })
    .send(MAIL)
    .then(
      () => Promise.reject(new Error('It was sent')),
      (error: MailRefused) => error,
    )
const certificate = () => makeCertificate(['localhost'])

describe('what arrives', () => {
  test('one mail to one address, in plain text, with an id that stays', async () => {
    const { server, taken } = await smtp()
    expect(await createMailer(server).send(MAIL)).toEqual({ status: 250, answer: '250 queued as 1' })
    const [mail] = taken
    expect(mail).toMatchObject({ from: 'standin@service.test', to: ['ada@example.com'] })
    expect(mail!.text.trim()).toBe('Three bots crashed.')
    const headers = Object.fromEntries(mail!.headers)
    expect(headers).toMatchObject({
      from: 'Standin <standin@service.test>',
      to: 'ada@example.com',
      subject: 'Alert: bots crash',
      'message-id': '<msg_1.7@service.test>',
      'auto-submitted': 'auto-generated',
      'content-type': expect.stringContaining('text/plain'),
    })
  })

  test.each([
    ['a new line', 'A\r\nBcc: eve@evil.test\r\n\r\nbody'],
    ['a bare line feed', 'A\nBcc: eve@evil.test'],
    ['a line separator', 'A\u2028Bcc: eve@evil.test'],
    ['an encoded word', '=?utf-8?q?A=0D=0ABcc:_eve@evil.test?='],
    ['a NUL and a turn of direction', 'A\u0000\u202EBcc: eve@evil.test'],
    ['a very long word', 'ä'.repeat(2_000)],
  ])('a subject with %s adds no header and no recipient', async (_what, subject) => {
    const { server, taken } = await smtp()
    await createMailer(server).send({ ...MAIL, subject })
    const [mail] = taken
    const names = mail!.headers.map(([name]) => name)
    expect(mail!.to).toEqual(['ada@example.com'])
    expect(names).not.toContain('bcc')
    expect(names.filter((name) => name === 'subject')).toHaveLength(1)
    expect(mail!.text.trim()).toBe('Three bots crashed.')
    expect(mail!.raw.split('\r\n').every((line) => Buffer.byteLength(line) <= 998)).toBe(true)
  })

  test.each([
    ['two addresses', 'ada@example.com, eve@evil.test'],
    ['a group', 'a: eve@evil.test, ada@example.com;'],
    ['a line break', 'ada@example.com>\r\nRCPT TO:<eve@evil.test'],
  ])('%s are not one address, and nothing is sent', async (_what, to) => {
    const { server, taken } = await smtp()
    await expect(createMailer(server).send({ ...MAIL, to })).rejects.toMatchObject({ isFinal: true })
    expect(taken).toEqual([])
  })

  test('lines that begin with a point end no mail', async () => {
    const { server, taken } = await smtp()
    await createMailer(server).send({ ...MAIL, text: 'One\r\n.\r\nMAIL FROM:<eve@evil.test>\r\n..two' })
    expect(taken).toHaveLength(1)
    expect(taken[0]!.text).toContain('MAIL FROM:<eve@evil.test>')
  })
})

describe('login and TLS', () => {
  test('the login is used', async () => {
    const { server, taken } = await smtp({
      authOptional: false,
      onAuth: ({ username, password }, _session, done) =>
        password === 'p@ss:word' ? done(null, { user: username }) : done(new Error('No such login bot-mailer')),
    })
    await createMailer({ ...server, login: { user: 'bot-mailer', password: 'p@ss:word' } }).send(MAIL)
    expect(taken).toMatchObject([{ user: 'bot-mailer' }])
    const refusal = await refusalOf({ ...server, login: { user: 'bot-mailer', password: 'wrong-secret' } })
    expect(refusal).toMatchObject({ isFinal: false, message: 'The mail server refused the sign-in of this service' })
    expect(JSON.stringify(refusal) + refusal.message + refusal.stack).not.toMatch(/wrong-secret|bot-mailer/)
  })

  test('a login never goes to a server without TLS where TLS is demanded', async () => {
    let isAsked = false
    const { server, taken } = await smtp({
      onAuth: (_auth, _session, done) => {
        isAsked = true
        done(null, { user: 'x' })
      },
    })
    const refusal = await refusalOf({ ...server, security: 'starttls', login: { user: 'u', password: 'p' } })
    expect(refusal.isFinal).toBe(false)
    expect(isAsked).toBe(false)
    expect(taken).toEqual([])
  })

  test.each([
    ['starttls', false],
    ['smtps', true],
  ] as const)('with %s the login goes over TLS only', async (security, secure) => {
    const { key, cert } = await certificate()
    const seen: boolean[] = []
    const { server, taken } = await smtp({
      key,
      cert,
      secure,
      authOptional: false,
      onAuth: (_auth, session, done) => {
        seen.push(session.secure)
        done(null, { user: 'x' })
      },
    })
    const login = { user: 'u', password: 'p' }
    await createMailer({ ...server, host: 'localhost', security, login }, { ca: cert }).send(MAIL)
    expect(seen).toEqual([true])
    expect(taken).toMatchObject([{ isSecure: true, to: ['ada@example.com'] }])
  })

  test('a certificate of an unknown authority is refused', async () => {
    const { server, taken } = await smtp(await certificate())
    expect(await refusalOf(server)).toMatchObject({
      isFinal: false,
      message: 'The certificate of the mail server is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)',
    })
    expect(taken).toEqual([])
  })
})

describe('trouble', () => {
  test('an address that the server does not know is final; a mailbox that is full for now is not', async () => {
    const refusing = (responseCode: number, text: string) =>
      smtp({ onRcptTo: (_to, _session, done) => done(Object.assign(new Error(text), { responseCode })) })
    expect(await refusalOf((await refusing(550, 'No such user')).server)).toMatchObject({
      status: 550,
      isFinal: true,
      message: 'The mail server refused the mail: 550 No such user',
    })
    expect(await refusalOf((await refusing(452, 'Mailbox full')).server)).toMatchObject({ status: 452, isFinal: false })
  })

  test('a server that is away, that says nothing, and that speaks no SMTP', async () => {
    const { server, close } = await smtp()
    cleanups.pop()
    await close()
    expect(await refusalOf(server)).toMatchObject({ isFinal: false, status: null })
    const silent = await startSilentServer()
    cleanups.push(silent.close)
    expect(await refusalOf(silent.server, 300)).toMatchObject({
      isFinal: false,
      message: 'The mail server did not finish in time',
    })
    expect(await refusalOf({ ...plainServer(1), host: 'no-such-host.invalid' })).toBeInstanceOf(MailRefused)
  })
})
