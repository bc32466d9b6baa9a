import { expect, test } from 'vitest'
import { BotError } from '../../../../packages/core/errors.ts'
import { MOCK_APP, signatureProblem } from '../../../../packages/mock/zoom/sdk/credentials.ts'
import { makeSignature } from '../../../../platforms/zoom/meeting-sdk/signature.ts'

const NOW = Date.UTC(2026, 10, 21, 12)
const parts = { sdkId: MOCK_APP.id, sdkSecret: MOCK_APP.secret, meetingNumber: '88240852079', now: NOW }

test('a signature carries the claims that Zoom reads, dated back against other clocks', () => {
  const [header, claims] = makeSignature(parts)
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()))
  const iat = NOW / 1000 - 30
  expect(header).toEqual({ alg: 'HS256', typ: 'JWT' })
  expect(claims).toEqual({
    appKey: MOCK_APP.id,
    sdkKey: MOCK_APP.id,
    mn: '88240852079',
    role: 0,
    iat,
    exp: iat + 7200,
    tokenExp: iat + 7200,
  })
})

test('the signature passes the check of the mock, which is a separate implementation', () => {
  expect(signatureProblem(makeSignature(parts), parts.meetingNumber, NOW)).toBeNull()
})

test.each([
  ['another secret', { sdkSecret: 'another' }, 3712],
  ['an app that Zoom does not know', { sdkId: 'another' }, 3704],
  ['another meeting', { meetingNumber: '88240852070' }, 3706],
  ['a clock that is three hours behind', { now: NOW - 3 * 3_600_000 }, 3705],
  ['a clock that is ahead', { now: NOW + 3_600_000 }, 3712],
])('%s is refused', (_what, wrong, code) => {
  expect(signatureProblem(makeSignature({ ...parts, ...wrong }), parts.meetingNumber, NOW)).toBe(code)
})

test.each([
  ['an empty secret', { sdkSecret: '' }],
  ['an empty id', { sdkId: '' }],
  ['a meeting without a number', { meetingNumber: 'ann.host' }],
  ['a number that is too short', { meetingNumber: '12345678' }],
])('%s cannot be signed for', (_what, wrong) => {
  const sign = () => makeSignature({ ...parts, ...wrong })
  expect(sign).toThrow(BotError)
  expect(sign).toThrow(expect.objectContaining({ code: 'CANNOT_GET_JWT_TOKEN', canRetry: false }))
})
