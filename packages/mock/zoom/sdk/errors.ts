/**
 * The SDK's public error numbers with their texts, and how the SDK reports each. Source:
 * docs/platform-notes/zoom.md#sdk-error-numbers and #how-sdk-failures-are-reported.
 */

export interface SdkError {
  code: number
  text: string
  /**
   * `web`: before the gateway, by the callback of `join`. `gateway`: by a console line, a dialog and the status; those
   * of tokens carry their number in the status too.
   */
  phase: 'web' | 'gateway'
}

const WEB: Readonly<Record<number, string>> = {
  3004: 'Meeting Passcode wrong.',
  3008: 'Meeting has not started',
  3100: 'login',
  3623: 'Token error',
  3704: 'The accounts API Key is not valid.',
  3705: 'The signature has expired.',
  3706: 'The meeting number is wrong.',
  3707: 'The meeting number is not found.',
  3708: 'Incorrect role.',
  3712: 'Signature is invalid.',
}

const NOT_SUPPORTED =
  'This join flow is not supported, please join the meeting with a Zoom Client or contact your meeting host or vendor.'

const GATEWAY: Readonly<Record<number, string>> = {
  4005: "The meeting is at the host's allowed capacity",
  4011: 'To join a meeting hosted by an external Zoom account, your SDK app has to be published on Zoom Marketplace.',
  4012: NOT_SUPPORTED,
  4014: 'The OBF token is invalid. Please check the OBF token and try again.',
  4015: 'The meeting number associated with the provided OBF token does not match the current meeting.',
  4017: 'Authorized user not in meeting.',
  4019: 'The authorized user has left the meeting.',
}

export function sdkError(code: number): SdkError {
  const web = WEB[code]
  if (web !== undefined) return { code, text: web, phase: 'web' }
  const gateway = GATEWAY[code]
  if (gateway === undefined) throw new Error(`The mock SDK knows no error ${code}`)
  return { code, text: gateway, phase: 'gateway' }
}

/** Only these carry their number in `onMeetingStatus` too. */
export function reportsStatusNumber(code: number): boolean {
  return code >= 4012 && code <= 4018
}
