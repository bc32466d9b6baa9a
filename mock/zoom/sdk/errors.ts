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
  403: 'The service is temporarily offline.',
  3000: 'Already has other meetings in progress.',
  3004: 'Meeting Passcode wrong.',
  3005: 'User email is required.',
  3008: 'Meeting has not started',
  3009: 'Be removed.',
  3034: 'This webinar requires signing in.',
  3082: 'real name / login required',
  3099: 'This meeting requires registration.',
  3100: 'login',
  3603: 'Not support start or join meeting from web.',
  3610: 'Meeting does not exist.',
  3611: 'Unable join from browser, please join using the Zoom desktop client or mobile app.',
  3621: 'No response from web, try again later.',
  3623: 'Token error',
  3634: 'You have been limit by zoom, verfy recaptcha and try again, open https://zoom.us',
  3635: 'Download wasm files error, please check your network and firewall.',
  3704: 'The accounts API Key is not valid.',
  3705: 'The signature has expired.',
  3706: 'The meeting number is wrong.',
  3707: 'The meeting number is not found.',
  3708: 'Incorrect role.',
  3710: 'The accounts API Key is deactivated.',
  3712: 'Signature is invalid.',
  3713: 'No permission.',
  10000: 'The current sdk version is no longer supported, please upgrade to the latest version.',
  13208: 'You cannot join this webinar now because it is ended.',
}

const NOT_SUPPORTED =
  'This join flow is not supported, please join the meeting with a Zoom Client or contact your meeting host or vendor.'

const GATEWAY: Readonly<Record<number, string>> = {
  1: '',
  4004: 'The meeting has been ended',
  4005: "The meeting is at the host's allowed capacity",
  4006: 'The meeting has been locked',
  4007: 'Information barriers',
  4008: "You've already joined this meeting on another device.",
  4009: 'server error',
  4011: 'To join a meeting hosted by an external Zoom account, your SDK app has to be published on Zoom Marketplace.',
  4012: NOT_SUPPORTED,
  4013: NOT_SUPPORTED,
  4014: 'The OBF token is invalid. Please check the OBF token and try again.',
  4015: 'The meeting number associated with the provided OBF token does not match the current meeting.',
  4016: 'The Privilege token is invalid.',
  4017: 'Authorized user not in meeting.',
  4018: 'Conflict with login credentials.',
  4019: 'The authorized user has left the meeting.',
  6603: "Join failed because this Meeting SDK key is blocked by the host's account admin.",
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
