/** The secrets of this bot's own job. One process runs one bot, so one list serves the process. */

/** Shorter secrets would hide half of each log. Characters. */
const SHORTEST = 4
/** A shorter one counts only if no letter or digit touches it: `123456` is not hidden inside a time stamp. */
const SURELY_UNIQUE = 10
const SECRET_FIELD = /token|secret|pwd|passw(?:or)?d|passcode|api_?key|access_?key|^key$|credential|sdk_id/i
const SECRET_PARAMETER = /token|secret|pwd|passw(?:or)?d|passcode|key|sig|^(?:tk|zak|p|auth|code|jwt)$/i

const secrets = new Set<string>()
let pattern: RegExp | null = null

/** Replaces the list by the secrets in `values`, such as the job and the access to a speech service. */
export function registerSecrets(...values: readonly unknown[]): void {
  secrets.clear()
  addSecrets(...values)
}

/** Adds the secrets in `values`, which the bot got after its start. */
export function addSecrets(...values: readonly unknown[]): void {
  for (const secret of values.flatMap((value) => secretsIn(value))) secrets.add(secret)
  const forms = [...secrets].filter((secret) => secret.length >= SHORTEST).flatMap(formsOf)
  // The longest first: one secret may begin with another.
  const alternatives = [...new Set(forms)].sort((one, other) => other.length - one.length).map(alternativeOf)
  pattern = alternatives.length === 0 ? null : new RegExp(alternatives.join('|'), 'g')
}

export function hideKnownSecrets(text: string): string {
  return pattern === null ? text : text.replace(pattern, '[redacted]')
}

/** Values of fields that are named like secrets, and what gives access within addresses. */
export function secretsIn(value: unknown, field = ''): string[] {
  if (typeof value === 'string') {
    const isAddress = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) && URL.canParse(value)
    if (isAddress) return secretsInAddress(new URL(value))
    return SECRET_FIELD.test(field) ? [value] : []
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => secretsIn(inner, name))
}

function secretsInAddress({ username, password, searchParams, hash }: URL): string[] {
  const parameters = [...searchParams, ...new URLSearchParams(hash.slice(1))]
  return [
    ...[username, password].filter((part) => part !== '').map(decoded),
    ...parameters.flatMap(([name, value]) => (SECRET_PARAMETER.test(name) && value !== '' ? [value] : [])),
  ]
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** As it is, in an address, in JSON, in HTML and in base64. */
function formsOf(secret: string): string[] {
  const html = secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
  const base64 = Buffer.from(secret).toString('base64').replace(/=+$/, '')
  return [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), html, base64]
}

function alternativeOf(secret: string): string {
  const literal = secret.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
  return secret.length >= SURELY_UNIQUE ? literal : `(?<![a-zA-Z0-9])${literal}(?![a-zA-Z0-9])`
}
