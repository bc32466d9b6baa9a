/** The documents the mock serves under the platform's real host names. */
import { randomBytes } from 'node:crypto'
import { escaped, plainPage as page } from '../shared/site.ts'

/**
 * Texts in the scripts of a healthy page, about ends that did not happen. A search in the page's source finds them; the
 * visible text does not have them.
 */
const SCRIPT_TEXTS = [
  'The call ended',
  "You've been removed from the meeting",
  'Return to home screen',
  'Someone in the call denied your request to join',
  "You can't join this video call",
  'Asking to be let in...',
  'Your host ended the meeting for everyone',
]

export interface MeetingDocument {
  html: string
  headers: Record<string, string>
}

/** The app shell: nothing useful is in it; one script does everything. */
export function meetingDocument(scriptPath: string, lang: string, workersAreRefused: boolean): MeetingDocument {
  const nonce = randomBytes(16).toString('base64')
  const policy = [
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    "object-src 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    ...(workersAreRefused ? ["worker-src 'none'"] : []),
  ]
  const data = JSON.stringify({ strings: SCRIPT_TEXTS, locale: lang }).replaceAll('<', '\\u003c')
  const html = `<!doctype html>
<html lang="${escaped(lang)}"><head><meta charset="utf-8"><title>Google Meet</title>
<meta name="viewport" content="width=device-width">
<script nonce="${nonce}" type="application/json">${data}</script>
<script nonce="${nonce}">window.WIZ_global_data=${data};</script>
</head><body><script nonce="${nonce}" src="${scriptPath}" defer></script></body></html>`
  return { html, headers: { 'content-security-policy': policy.join('; ') } }
}

export function landingDocument(): string {
  return page(
    'Google Meet',
    `<h1>Secure video conferencing for everyone</h1>
<p>Connect, collaborate, and celebrate from anywhere with Google Meet</p>
<button>New meeting</button>
<input type="text" aria-label="Enter a code or link" placeholder="Enter a code or link"><button disabled>Join</button>
${INVISIBLE_CAPTCHA}`,
  )
}

export function marketingDocument(): string {
  return page('Google Meet', '<h1>Google Meet video meetings and calls for everyone</h1><a href="#">Try Meet</a>')
}

export function signInDocument(continueTo: string): string {
  return page(
    'Sign in - Google Accounts',
    `<div><h1><span>Sign in</span></h1><div>to continue to <span>Google Meet</span></div>
<div>Use your Google Account</div></div>
<form><input type="email" name="identifier" aria-label="Email or phone"><input type="hidden" name="continue" value="${escaped(continueTo)}">
<button>Next</button></form>`,
  )
}

export function errorDocument(status: number): string {
  return page(
    `Error ${status} (Server Error)!!1`,
    `<p><b>${status}.</b> That’s an error.</p><p>The server encountered a temporary error. Please try again later.</p>`,
  )
}

export function captchaDocument(): string {
  return page('reCAPTCHA', '<div role="checkbox" tabindex="0" aria-checked="false"></div><span>I\'m not a robot</span>')
}

const INVISIBLE_CAPTCHA =
  '<iframe src="https://www.google.com/recaptcha/enterprise/anchor?size=invisible" title="reCAPTCHA" style="display:none"></iframe>'
