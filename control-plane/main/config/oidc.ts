/** Kinds of the settings of the OpenID provider through which people sign in to the dashboard. */
import { kind, list, matching } from './kind.ts'

const MAX_DOMAINS = 50
const DOMAIN = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+$/
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** Kept as it was written, since its text has to equal the issuer in the provider's metadata. */
export const issuer = kind('Write the issuer as the provider shows it, such as https://accounts.google.com', (text) => {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !['https:', 'http:'].includes(url.protocol))
    throw new Error('is not an address that starts with https://')
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new Error('has more than host and path')
  return text
})

/** Whether other machines can read the traffic to the issuer. */
export function isPlainIssuer(text: string): boolean {
  const { protocol, hostname } = new URL(text)
  return protocol === 'http:' && !LOOPBACK.test(hostname)
}

export const buttonName = matching(/^\P{C}{1,40}$/u, 'a name for a button', 'Write at most 40 characters')

export const domains = list(
  'domain',
  'Write domains of e-mail addresses, such as example.com,example.org',
  (word) => {
    const domain = word.toLowerCase().replace(/^@/, '')
    return DOMAIN.test(domain) ? domain : null
  },
  MAX_DOMAINS,
)
