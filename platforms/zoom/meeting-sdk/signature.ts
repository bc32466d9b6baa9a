/**
 * The token that says which app joins which meeting: a JWT that the bot signs itself. Source:
 * docs/platform-notes/zoom.md#signature.
 */
import { createHmac } from 'node:crypto'
import { BotError } from '../../../packages/core/errors.ts'

/** Zoom refuses a signature from the future; clocks of other machines may be behind. */
const BACKDATED_SECONDS = 30
/**
 * Zoom accepts 1800 to 172 800 s. It checks the signature at the moment of joining only, but a waiting page may join
 * again.
 */
const LIFE_SECONDS = 7200
const MEETING_NUMBER = /^\d{9,11}$/
const PARTICIPANT = 0

export interface SignatureParts {
  sdkId: string
  sdkSecret: string
  /** Nine to eleven digits. */
  meetingNumber: string
  /** UTC milliseconds. */
  now: number
}

/** Throws CANNOT_GET_JWT_TOKEN where the given values make no signature. */
export function makeSignature({ sdkId, sdkSecret, meetingNumber, now }: SignatureParts): string {
  if (sdkId === '' || sdkSecret === '') throw unsignable('the SDK credentials are empty')
  if (!MEETING_NUMBER.test(meetingNumber)) throw unsignable('the meeting has no number of 9 to 11 digits')
  const iat = Math.floor(now / 1000) - BACKDATED_SECONDS
  const exp = iat + LIFE_SECONDS
  // Older gateways read `sdkKey`; the same value under both names is harmless.
  const claims = { appKey: sdkId, sdkKey: sdkId, mn: meetingNumber, role: PARTICIPANT, iat, exp, tokenExp: exp }
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`
  return `${signed}.${createHmac('sha256', sdkSecret).update(signed).digest('base64url')}`
}

function part(content: object): string {
  return Buffer.from(JSON.stringify(content)).toString('base64url')
}

function unsignable(reason: string): BotError {
  return new BotError('CANNOT_GET_JWT_TOKEN', `The signature for Zoom could not be made: ${reason}.`, {
    step: 'signature',
  })
}
