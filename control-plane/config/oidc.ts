/** Settings of the OpenID provider through which people sign in to the dashboard. */
import { type Given, shown } from './values.ts'

export interface OidcConfig {
  issuer: string
  clientId: string
  /** Null: a public client, which proves itself with PKCE alone. */
  clientSecret: string | null
  /** The provider's name on the button; empty: a general text. */
  name: string
  /**
   * People with a verified e-mail address of these domains become viewers of the first team. Empty: only invited
   * people.
   */
  domains: readonly string[]
}

const MAX_DOMAINS = 50
const DOMAIN = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+$/
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** Null where no issuer is set. Secrets are never repeated in a problem. */
export function oidcOf(ofVariable: (name: string) => Given | null, allowPlain: boolean): OidcConfig | null {
  const issuer = ofVariable('STANDIN_OIDC_ISSUER')
  const clientId = ofVariable('STANDIN_OIDC_CLIENT_ID')
  const others = ['STANDIN_OIDC_CLIENT_SECRET', 'STANDIN_OIDC_DOMAINS', 'STANDIN_OIDC_NAME'].map(ofVariable)
  const [secret, domains, name] = others
  if (issuer === null) {
    for (const given of [clientId, ...others])
      given?.report(given.place, 'is set without STANDIN_OIDC_ISSUER', 'Set both, or neither')
    return null
  }
  if (clientId === null)
    issuer.report(issuer.place, 'is set without STANDIN_OIDC_CLIENT_ID', 'Register the service at the provider first')
  return {
    issuer: issuerOf(issuer, allowPlain),
    clientId: clientId?.text ?? '',
    clientSecret: secret?.text ?? null,
    name: nameOf(name ?? null),
    domains: domainsOf(domains ?? null),
  }
}

/** Kept as it was written, since its text has to equal the issuer in the provider's metadata. */
function issuerOf({ place, text, report }: Given, allowPlain: boolean): string {
  const url = URL.canParse(text) ? new URL(text) : null
  const isPlain = url?.protocol === 'http:'
  const problem =
    url === null || !['https:', 'http:'].includes(url.protocol)
      ? 'is not an address that starts with https://'
      : url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== ''
        ? 'has more than host and path'
        : isPlain && !allowPlain && !LOOPBACK.test(url.hostname)
          ? 'is not reached by https'
          : null
  if (problem !== null)
    report(place, problem, 'Write the issuer as the provider shows it, such as https://accounts.google.com')
  return text
}

function nameOf(given: Given | null): string {
  if (given === null) return ''
  if (given.text.length > 40 || /\p{C}/u.test(given.text))
    given.report(given.place, `"${shown(given.text)}" is no name for a button`, 'Write at most 40 characters')
  return given.text
}

function domainsOf(given: Given | null): string[] {
  if (given === null) return []
  const domains = given.text
    .split(',')
    .map((word) => word.trim().toLowerCase().replace(/^@/, ''))
    .filter((word) => word !== '')
  const wrong = domains.filter((domain) => !DOMAIN.test(domain))
  if (wrong.length > 0 || domains.length > MAX_DOMAINS)
    given.report(
      given.place,
      wrong.length > 0
        ? `does not know ${wrong.map((word) => `"${shown(word)}"`).join(', ')}`
        : `names more than ${MAX_DOMAINS} domains`,
      'Write domains of e-mail addresses, such as example.com,example.org',
    )
  return domains
}
