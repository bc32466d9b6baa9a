import { guardedLookup, isPublicAddress, mayBePublic, type Resolve } from '@standin/wire/network/public-addresses.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'

const PRIVATE = [
  ...['127.0.0.1', '10.1.2.3', '172.16.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1', '0.0.0.0', '224.0.0.1'],
  ...['255.255.255.255', '192.88.99.1', '192.175.48.1', '168.63.129.16', '0177.0.0.1', 'not an address'],
  ...['::1', '::', 'fe80::1', 'fc00::1', '2001:db8::1', '3fff::1', '2001:2::1', '2002:7f00:1::', '4000::1'],
  ...['::ffff:127.0.0.1', '::ffff:168.63.129.16', '::ffff:a83f:8110'],
  ...['64:ff9b::7f00:1', '64:ff9b:1::1', '64:ff9b::a83f:8110'],
]
const PUBLIC = ['1.1.1.1', '168.63.129.15', '168.63.129.17', '93.184.216.34', '2606:4700::1111']

test.each([
  ...PRIVATE.map((address) => [address, false] as const),
  ...PUBLIC.map((address) => [address, true] as const),
])('%s is public: %s', (address, expected) => expect(isPublicAddress(address)).toBe(expected))

test('an IPv4 address in IPv6 notation is never public, and private ones are not in any notation', () => {
  const byte = fc.integer({ min: 0, max: 255 })
  const first = fc.constantFrom('10', '127', '192.168', '172.16', '169.254', '0', '240')
  fc.assert(
    fc.property(first, byte, byte, byte, (start, a, b, c) => {
      const address = [...start.split('.'), a, b, c].slice(0, 4).join('.')
      for (const text of [address, `::ffff:${address}`, `64:ff9b::${address}`, `::${address}`])
        expect(isPublicAddress(text)).toBe(false)
    }),
  )
  fc.assert(fc.property(byte, byte, (a, b) => !isPublicAddress(`::ffff:93.184.${a}.${b}`)))
})

test.each([
  ['example.com', true],
  ['localhost.example.com', true],
  ['1.1.1.1', true],
  ['[2606:4700::1111]', true],
  ['localhost', false],
  ['LOCALHOST.', false],
  ['a.localhost', false],
  ['127.0.0.1', false],
  ['[::1]', false],
])('the host %s of a URL may be public: %s', (hostname, expected) => {
  expect(mayBePublic(hostname)).toBe(expected)
})

/** Asks for one address and for all of them. */
async function lookUp(resolve?: Resolve) {
  const lookup = guardedLookup(resolve)
  const ask = (all: boolean) =>
    new Promise((settle) =>
      lookup('hook.test', { all }, (error, found) =>
        settle(error ? [error.message, (error as { code?: string }).code] : found),
      ),
    )
  return { one: await ask(false), all: await ask(true) }
}

const answer =
  (...list: string[]): Resolve =>
  (_name, _options, callback) =>
    callback(
      null,
      list.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )

test('a guarded lookup gives the addresses that it checked', async () => {
  const all = [
    { address: '93.184.215.14', family: 4 },
    { address: '2606:4700::1111', family: 6 },
  ]
  expect(await lookUp(answer('93.184.215.14', '2606:4700::1111'))).toEqual({ one: '93.184.215.14', all })
})

test.each([[[]], [['127.0.0.1']], [['93.184.215.14', '10.0.0.1']], [['168.63.129.16']]])(
  'a guarded lookup refuses a name with the addresses %j',
  async (list) => {
    const refused = ['hook.test is not a public address', 'EACCES']
    expect(await lookUp(answer(...list))).toEqual({ one: refused, all: refused })
  },
)

test('a guarded lookup passes on the error of its resolver', async () => {
  const failed = Object.assign(new Error('unknown'), { code: 'ENOTFOUND' })
  const refused = ['unknown', 'ENOTFOUND']
  expect(await lookUp((_name, _options, callback) => callback(failed, []))).toEqual({ one: refused, all: refused })
})
