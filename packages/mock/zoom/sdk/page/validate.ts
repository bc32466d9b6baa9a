/**
 * The checks that `join` makes of its parameters before anything else. Pure. Source:
 * docs/platform-notes/zoom.md#join-parameters.
 */

export interface CallResult {
  method: string
  status: boolean
  errorCode: number
  errorMessage: string | null
  result: unknown
}

const KNOWN = new Set(
  `meetingNumber userName passWord userEmail signature tk zak obfToken recordingToken customerKey childToken sdkKey
  success error`.split(/\s+/),
)

export function refusal(method: string, errorCode: number, errorMessage: string, result: unknown = null): CallResult {
  return { method, status: false, errorCode, errorMessage, result }
}

export function success(method: string, result: unknown = null): CallResult {
  return { method, status: true, errorCode: 0, errorMessage: null, result }
}

/** Null if nothing is wrong. */
export function joinProblem(given: Readonly<Record<string, unknown>>): CallResult | null {
  const unknown = Object.keys(given).filter((name) => !KNOWN.has(name))
  if (unknown.length > 0) return refusal('join', 3, `Join parameters: ${unknown.join(',')} are invalid!`)
  const { meetingNumber, userName, passWord, userEmail, obfToken, zak } = given
  const problem = (words: string) => refusal('join', 4003, words)
  const markup = Object.entries(given).find(([, value]) => typeof value === 'string' && /<\/?script>/i.test(value))
  if (markup) return problem(`${markup[0]} contains a </script> or <script>`)
  if (String(meetingNumber ?? '').length > 12) return problem('meetingNumber length > 12')
  const name = bytes(userName)
  if (name === 0 || name > 128) return problem('userName length > 128 or userName is empty')
  if (bytes(passWord) > 32) return problem('password length > 32')
  if (bytes(userEmail) > 100) return problem('userEmail length > 100')
  if (typeof userEmail === 'string' && userEmail !== '' && !/^[^@\s]+@[^@\s]+$/.test(userEmail))
    return problem(`${userEmail} is an invalid address`)
  if (obfToken && zak) return refusal('join', 3636, 'Token error: obfToken and zak cannot be used simultaneously')
  return null
}

/** The claims of a signature; the SDK reads them before it sends them. */
export function claimsOf(signature: unknown): Record<string, unknown> {
  try {
    const [, body = ''] = String(signature).split('.')
    return JSON.parse(atob(body.replaceAll('-', '+').replaceAll('_', '/'))) as Record<string, unknown>
  } catch {
    return {}
  }
}

function bytes(value: unknown): number {
  return new TextEncoder().encode(typeof value === 'string' ? value : '').byteLength
}
