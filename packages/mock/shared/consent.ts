/**
 * Pages of consent of stand-ins, as strict as those of the providers: about the client, its redirect addresses, PKCE, and
 * codes, which work once and for ten minutes.
 */
import { createHash, randomBytes } from 'node:crypto'
import { escaped } from './site.ts'

/** Of the interface; Zoom's own sources say 5 minutes too. */
const CODE_LIFE_MS = 10 * 60_000

export interface OAuthApp {
  clientId: string
  clientSecret: string
  redirectUris: string[]
}

interface Binding {
  clientId: string
  redirectUri: string
}

/** Where a service of this address takes people back. */
export const callbackOf = (service: string, provider: string) =>
  `${service.replace(/\/$/, '')}/dashboard/api/connect/${provider}/callback`

export const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url')

/** `Grant`: what the person allowed. */
export class Codes<Grant> {
  readonly #codes = new Map<string, Binding & { grant: Grant; challenge: string | null; madeAt: number }>()
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  make(grant: Grant, bound: Binding & { challenge: string | null }): string {
    const code = randomBytes(24).toString('base64url')
    this.#codes.set(code, { ...bound, grant, madeAt: this.#now() })
    return code
  }

  /** A refused code stays; one that gave its grant is over. */
  redeem(
    code: string,
    { clientId, redirectUri, verifier }: Binding & { verifier: string | null },
  ): { grant: Grant } | { refused: 'code' | 'redirect' | 'verifier' } {
    const known = this.#codes.get(code)
    if (known === undefined || known.clientId !== clientId || known.madeAt + CODE_LIFE_MS < this.#now())
      return { refused: 'code' }
    if (known.redirectUri !== redirectUri) return { refused: 'redirect' }
    if (known.challenge !== null && known.challenge !== challengeOf(verifier ?? '')) return { refused: 'verifier' }
    this.#codes.delete(code)
    return { grant: known.grant }
  }
}

/** The exchange of a code, as its form names it. */
export const codeOf = (form: URLSearchParams) => ({
  code: form.get('code') ?? '',
  clientId: form.get('client_id') ?? '',
  redirectUri: form.get('redirect_uri') ?? '',
  verifier: form.get('code_verifier'),
})

export interface ConsentRules {
  /** The provider's name on the page. */
  provider: string
  apps: readonly OAuthApp[]
  /** Every scope that the provider knows, with its sentence on the page. */
  scopes: Readonly<Record<string, string>>
  /** Absent: the page offers the scopes of the address. */
  offered?: readonly string[]
  needsChallenge: boolean
  accounts: readonly { id: string; email: string }[]
  /** Texts of the error page. */
  problems: { client: string; redirect: string }
  /** The code for what the person allowed. */
  allow(choice: { account: string; scopes: string[] }, bound: Binding & { challenge: string | null }): string
}

export type ConsentAnswer = { page: string; status: 200 | 400 } | { location: string }

/** `form` null: the page; otherwise what one of its buttons does. */
export function answerConsent(
  query: URLSearchParams,
  form: URLSearchParams | null,
  rules: ConsentRules,
): ConsentAnswer {
  const given = (name: string) => query.get(name) ?? ''
  const app = rules.apps.find(({ clientId }) => clientId === given('client_id'))
  if (app === undefined) return problem(rules.problems.client)
  const redirectUri = given('redirect_uri')
  // The provider sends people only to addresses that the owner of the app registered.
  if (!app.redirectUris.includes(redirectUri)) return problem(rules.problems.redirect)
  const back = (values: Record<string, string>): ConsentAnswer => {
    const target = new URL(redirectUri)
    for (const [name, value] of Object.entries({ ...values, state: given('state') }))
      if (value !== '') target.searchParams.set(name, value)
    return { location: target.href }
  }
  const challenge = given('code_challenge') || null
  if (given('response_type') !== 'code') return back({ error: 'unsupported_response_type' })
  if (challenge === null ? rules.needsChallenge : given('code_challenge_method') !== 'S256')
    return back({ error: 'invalid_request', error_description: 'A code_challenge with S256 is required' })
  const offered = rules.offered ?? given('scope').split(' ')
  if (offered.some((scope) => !(scope in rules.scopes))) return back({ error: 'invalid_scope' })
  if (form === null) return { page: consentPage(rules, offered, given('login_hint')), status: 200 }
  const account = form.get('account') ?? ''
  const scopes = form.getAll('scope').filter((scope) => offered.includes(scope))
  const isAllowed = form.get('decision') === 'allow' && rules.accounts.some(({ id }) => id === account)
  if (!isAllowed) return back({ error: 'access_denied' })
  return back({ code: rules.allow({ account, scopes }, { clientId: app.clientId, redirectUri, challenge }) })
}

const problem = (text: string): ConsentAnswer => ({ page: document('Error', `<h1>${escaped(text)}</h1>`), status: 400 })

function consentPage({ provider, scopes, accounts }: ConsentRules, offered: readonly string[], hint: string): string {
  const chosen = accounts.find(({ email }) => email === hint) ?? accounts[0]
  const choices = accounts.map(
    ({ id, email }) =>
      `<label><input type="radio" name="account" value="${escaped(id)}"${id === chosen?.id ? ' checked' : ''}> ${escaped(email)}</label>`,
  )
  const boxes = offered.map(
    (scope) =>
      `<label><input type="checkbox" name="scope" value="${escaped(scope)}" checked> ${escaped(scopes[scope] ?? scope)}</label>`,
  )
  return document(
    `Stand-in of ${provider}`,
    `<h1>An app wants to access your account at ${escaped(provider)}</h1><form method="post">
<fieldset><legend>Account</legend>${choices.join('')}</fieldset>
<fieldset><legend>It may</legend>${boxes.join('')}</fieldset>
<p><button name="decision" value="deny">Deny</button> <button name="decision" value="allow">Allow</button></p></form>
<p>This is a stand-in for tests. No real account is involved.</p>`,
  )
}

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:30rem;margin:3rem auto;padding:0 1rem;color:#1b1f24;background:#fff}
h1{font-size:1.3rem}fieldset{border:1px solid #d5dae0;border-radius:.4rem;margin:1rem 0}label{display:block;padding:.2rem 0}
button{font:inherit;padding:.35rem 1rem}`

const document = (title: string, body: string) => `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>${escaped(title)}</title><style>${STYLE}</style></head><body>${body}</body></html>`

export const CONSENT_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
}
