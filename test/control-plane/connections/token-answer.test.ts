/** No odd field of an answer costs its refresh token. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readTokenAnswer } from '../../../control-plane/connections/token-answer.ts'

const ANSWER = { access_token: 'access', refresh_token: 'refresh', expires_in: 3599, scope: 'a:b c:d' }
const READ = { accessToken: 'access', refreshToken: 'refresh', accessTokenSeconds: 3599, scopes: ['a:b', 'c:d'] }

test.each([
  ['as the standard has it', ANSWER, READ],
  ['the time as text', { ...ANSWER, expires_in: '3599' }, READ],
  ['no time', { ...ANSWER, expires_in: undefined }, { ...READ, accessTokenSeconds: 3600 }],
  ['a time that is none', { ...ANSWER, expires_in: 'soon' }, { ...READ, accessTokenSeconds: 3600 }],
  ['a negative time', { ...ANSWER, expires_in: -1 }, { ...READ, accessTokenSeconds: 3600 }],
  ['a time that never ends', { ...ANSWER, expires_in: 1e300 }, { ...READ, accessTokenSeconds: 31_536_000 }],
  ['an access token that no header can carry', { ...ANSWER, access_token: 'a\nb' }, { ...READ, accessToken: null }],
  ['only an access token', { access_token: 'access', expires_in: 3599 }, { ...READ, refreshToken: null, scopes: null }],
  [
    'a long refresh token',
    { ...ANSWER, refresh_token: 'x'.repeat(40_000) },
    { ...READ, refreshToken: 'x'.repeat(40_000) },
  ],
  ['no token', { expires_in: 3599 }, null],
  ['another JSON', [1], null],
])('%s', (_name, answer, read) => {
  expect(readTokenAnswer(answer)).toEqual(read)
})

test('any other fields', () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1 }),
      fc.dictionary(fc.constantFrom('access_token', 'expires_in', 'scope', 'id'), fc.jsonValue()),
      (token, rest) => {
        expect(readTokenAnswer({ ...rest, refresh_token: token })?.refreshToken).toBe(token)
      },
    ),
  )
})
