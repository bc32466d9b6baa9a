import { expect, test } from 'vitest'
import { Secrets } from '../../../../platforms/zoom/meeting-sdk/secrets.ts'

test('secrets are hidden wherever they occur, also in an address', () => {
  const secrets = new Secrets()
  secrets.keep('token/+=', 'token', null, undefined, '')
  expect(secrets.hide('a=token/+=&b=token%2F%2B%3D&c=token')).toBe('a=[redacted]&b=[redacted]&c=[redacted]')
})

test('a value of few letters is no secret, or every word would be', () => {
  const secrets = new Secrets()
  secrets.keep('an')
  expect(secrets.hide('a plan')).toBe('a plan')
})
