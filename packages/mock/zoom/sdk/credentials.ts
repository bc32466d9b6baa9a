/**
 * The app that the mock Zoom knows, and the check of the signatures that are made with its secret: a real check, since
 * a bot that signs wrongly has to find out here. Source: docs/platform-notes/zoom.md#signature and #the-mock.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'

/** The app's credentials for joins through the mock SDK. */
export const MOCK_APP = { id: 'MockAppOfStandin', secret: 'mock-secret-of-the-app-0123456789' } as const

const MIN_LIFE_SECONDS = 1800
const MAX_LIFE_SECONDS = 172_800
const SKEW_SECONDS = 60

/** The public number that Zoom refuses this signature with, or null for a good one. `now` is UTC milliseconds. */
export function signatureProblem(signature: string, meetingNumber: string, now: number): number | null {
  const [header, body, mac, ...rest] = signature.split('.')
  const claims = parse(body)
  if (!header || !body || !mac || rest.length > 0 || claims === null || parse(header)?.alg !== 'HS256') return 3712
  if ((claims.appKey ?? claims.sdkKey) !== MOCK_APP.id) return 3704
  const expected = createHmac('sha256', MOCK_APP.secret).update(`${header}.${body}`).digest()
  const given = Buffer.from(mac, 'base64url')
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return 3712
  const { iat, exp, mn, role } = claims
  if (typeof iat !== 'number' || typeof exp !== 'number') return 3712
  if (exp - iat < MIN_LIFE_SECONDS || exp - iat > MAX_LIFE_SECONDS) return 3712
  const seconds = now / 1000
  if (exp <= seconds) return 3705
  if (iat > seconds + SKEW_SECONDS) return 3712
  if (String(mn) !== meetingNumber) return 3706
  return role === 0 ? null : 3708
}

function parse(part: string | undefined): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part ?? '', 'base64url').toString())
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}
