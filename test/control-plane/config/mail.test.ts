import { InvalidConfig, readServiceConfig } from '@standin/control-plane/config/config.ts'
import { expect, test } from 'vitest'

const FROM = 'Standin <standin@example.com>'
const read = (url: string, from = FROM) =>
  readServiceConfig({}, { STANDIN_SMTP_URL: url, STANDIN_MAIL_FROM: from }, '/srv/app').mail

function problemsOf(environment: Record<string, string>): string[] {
  try {
    readServiceConfig({}, environment, '/srv/app')
    return []
  } catch (error) {
    if (error instanceof InvalidConfig) return error.problems.map(({ place, message }) => `${place} ${message}`)
    throw error
  }
}

test('no mail is sent without a server', () => {
  expect(readServiceConfig({}, {}, '/srv/app').mail).toBeNull()
})

test.each([
  ['smtp://mail.example.com', { host: 'mail.example.com', port: 587, security: 'offered', login: null }],
  ['smtp://mail.example.com:25/', { port: 25, security: 'offered' }],
  ['smtps://mail.example.com', { port: 465, security: 'smtps' }],
  [
    'smtp://bot%40example.com:p%40ss%2Fw@mail.example.com',
    { security: 'starttls', login: { user: 'bot@example.com', password: 'p@ss/w' } },
  ],
  ['smtp://u:p@127.0.0.1:2525', { host: '127.0.0.1', security: 'offered', login: { user: 'u', password: 'p' } }],
  ['smtp://u:p@[::1]:2525', { host: '::1', security: 'offered' }],
])('%s', (url, expected) => {
  expect(read(url)).toMatchObject(expected)
})

test.each([
  [FROM, { name: 'Standin', address: 'standin@example.com' }],
  ['standin@example.com', { name: '', address: 'standin@example.com' }],
  ['Bots of Zoë <b@example.com>', { name: 'Bots of Zoë', address: 'b@example.com' }],
])('the sender %s', (from, expected) => {
  expect(read('smtp://mail.example.com', from)!.from).toEqual(expected)
})

const SECRET = 'Tr0ub4dor'
test.each([
  [`http://u:${SECRET}@mail.example.com`, 'does not start with smtp:// or smtps://'],
  [`smtp://u:${SECRET}@mail.example.com/inbox`, 'has a part behind the port'],
  [`smtp://u:${SECRET}@mail.example.com?tls=no`, 'has a part behind the port'],
  [`smtp://:${SECRET}@mail.example.com`, 'has a password and no user'],
  [`smtp://u:${SECRET}%zz@mail.example.com`, 'has a user or a password with a % that begins no code'],
  [`${SECRET}`, 'is not the address of a mail server'],
  ['smtp://', 'names no host'],
])('a wrong address is refused, and its text is not repeated: %s', (url, message) => {
  const problems = problemsOf({ STANDIN_SMTP_URL: url, STANDIN_MAIL_FROM: FROM })
  expect(problems).toEqual([`STANDIN_SMTP_URL ${message}`])
})

test.each(['nobody', 'a@b', 'A <a@example.com', 'a@example.com, b@example.com', 'A\r\nBcc: x@y.zz <a@example.com>'])(
  'a wrong sender is refused: %j',
  (from) => {
    const problems = problemsOf({ STANDIN_SMTP_URL: 'smtp://mail.example.com', STANDIN_MAIL_FROM: from })
    expect(problems).toEqual(['STANDIN_MAIL_FROM is not a mail address'])
  },
)

test('one without the other is refused', () => {
  expect(problemsOf({ STANDIN_SMTP_URL: 'smtp://mail.example.com' })).toEqual([
    'STANDIN_SMTP_URL is set without STANDIN_MAIL_FROM',
  ])
  expect(problemsOf({ STANDIN_MAIL_FROM: FROM })).toEqual(['STANDIN_MAIL_FROM is set without STANDIN_SMTP_URL'])
})
