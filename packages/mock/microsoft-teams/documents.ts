/** The documents the mock serves under the platform's real host names. */
import { randomBytes } from 'node:crypto'
import { escaped, plainPage } from '../shared/site.ts'

/** The page of a meeting or of the launcher: nothing useful is in it; one script does everything. */
export function appDocument(scriptPath: string, lang: string): string {
  return `<!doctype html><html lang="${escaped(lang)}"><head><meta charset="utf-8">
<title>Microsoft Teams meeting | Microsoft Teams</title><meta name="viewport" content="width=device-width">
</head><body><div id="app"><div data-tid="pre-core-title-bar"></div></div>
<script src="${scriptPath}" defer></script></body></html>`
}

/** A document whose `script` only leads to the next one; its body is nearly empty. */
function shellDocument(script: string): { html: string; headers: Record<string, string> } {
  const nonce = randomBytes(16).toString('base64')
  const bar = ['', '-close-button', '-maximize-button', '-minimize-button']
  const html = `<!doctype html><html lang="en-US"><head><meta charset="utf-8"><title>Microsoft Teams</title></head>
<body>${bar.map((part) => `<div data-tid="pre-core-title-bar${part}"></div>`).join('')}
<script nonce="${nonce}">${script}</script></body></html>`
  return { html, headers: { 'content-security-policy': `script-src 'nonce-${nonce}'` } }
}

/** Leads to a path that the server knows. */
export function forwardDocument(path: string) {
  return shellDocument(`location.replace(${JSON.stringify(path).replaceAll('<', '\\u003c')})`)
}

/** The start of the web client: the meeting's path is behind the `#`, where servers do not see it. */
export function clientStartDocument() {
  return shellDocument(`
const [target, token] = location.hash.slice(1).split('&token=')
if (token) sessionStorage.setItem('botToken', token)
const query = 'anon=true&launchAgent=join_launcher_web&lightExperience=true&correlationId=' + crypto.randomUUID()
if (target.startsWith('/')) location.replace(target + (target.includes('?') ? '&' : '?') + query)`)
}

/** The silent attempt to sign in, which takes a second and fails: no account is signed in. */
export function signInProbeDocument(redirectTo: string) {
  return shellDocument(`
const back = ${JSON.stringify(redirectTo).replaceAll('<', '\\u003c')}
if (window.top === window) setTimeout(() => location.replace(back), 1000)`)
}

export function signInDocument(): string {
  return plainPage(
    'Sign in to your account',
    `<div role="main"><h1>Sign in</h1><form>
<input type="email" name="loginfmt" aria-label="Enter your email, phone, or Skype." placeholder="Email, phone, or Skype">
<input type="button" id="idSIButton9" value="Next"></form></div>`,
  )
}

export function frameDocument(): string {
  return plainPage('Microsoft Teams', '')
}

export function errorDocument(status: number): string {
  return plainPage(String(status), status === 503 ? '503 Service Unavailable' : 'Not found')
}

/** A link to something that is no meeting. */
export function otherDocument(): string {
  return plainPage('Microsoft Teams', '<h1>Stay better connected with the Teams desktop app</h1>')
}

export function malformedDocument(): string {
  return plainPage(
    'Microsoft Teams',
    '<div>Looks like the meeting URL is incorrect. Please check the URL and try again.</div>',
  )
}
