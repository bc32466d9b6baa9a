/** Cleans text that people paste and finds the web addresses in it. Pure; time grows with the length of the text alone. */
import { MAX_MEETING_TEXT_LENGTH } from '../bot-fields.ts'

/** Longer texts are read up to here; the descriptions of calendars are shorter. */
const MAX_TEXT = 200_000
const MAX_ADDRESSES = 500
/** A copied link may be encoded this many times. */
const MAX_ENCODINGS = 3

/** Format characters, such as soft hyphens and zero-width spaces, and others that are not shown. */
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu
export const withoutInvisible = (text: string): string => text.replace(INVISIBLE, '')
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

/** An address in angle brackets, as RFC 3986 has it: lines may break inside. */
export const IN_BRACKETS = /<(?:URL: ?)?((?:https?:\/\/|[a-z0-9-]{1,63}\.)(?:[^\s"'<>]|\r?\n[ \t]{0,80}){1,8000})>/gi
export const withoutBreaks = (address: string): string => address.replace(/[\r\n\t]+ */g, '')

/** The same text in plain characters: no invisible ones, no look-alikes, no escapes of HTML and of shells. */
export function plainText(text: string): string {
  return text
    .slice(0, MAX_TEXT)
    .replace(/&(?:(amp|lt|gt|quot|apos|nbsp)|#(?:x([0-9a-f]{1,6})|(\d{1,7})));/gi, (entity, name, hex, decimal) => {
      if (name) return ENTITIES[name.toLowerCase()]!
      const code = hex ? Number.parseInt(hex, 16) : Number(decimal)
      return code <= 0x10ffff ? String.fromCodePoint(code) : entity
    })
    .replace(INVISIBLE, '')
    .replace(IN_BRACKETS, (_, address) => ` ${withoutBreaks(address)} `)
    .replace(/[\u00a0\u2000-\u200a\u202f\u3000]/g, ' ')
    .replace(/[\uff01-\uff5e]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replace(/[\u2010-\u2012\u2212\ufe58\ufe63]/g, '-')
    .replace(/(?<=\/[a-z]{3})[–—]([a-z]{4})[–—](?=[a-z]{3}(?![a-z]))/gi, '-$1-')
    .replace(/\\([?=&#%/])/g, '$1')
    .replace(/(\/[jsw]\/)(\d{3}) (\d{3,4}) (\d{3,4})(?!\d)/g, '$1$2$3$4')
    .replace(
      /(\/meet\/\d{3})((?: \d{3}){2,4}(?: \d{1,2})?)(?!\d)/g,
      (_, start, rest) => start + rest.replaceAll(' ', ''),
    )
}

const SCHEME = '(?:https?:\\/{1,2}|(?:zoommtg|zoomus|org\\.jitsi\\.meet|jitsi-meet):\\/\\/|msteams:(?:\\/\\/)?)'
/** A link without a scheme starts here: not inside a longer host name, an email address, a path or a query. */
const START_OF_HOST = '(?<![\\w.\\-@/=%]|\\p{Script=Latin}|\\p{Script=Cyrillic}|\\p{Script=Greek})'
const HOST = '(?:[a-z0-9-]{1,63}\\.){1,8}[a-z]{2,24}(?![\\w-]|\\.\\w)(?::\\d{1,5})?'
/** Everything but white space, quotes and brackets of the sentence around a link; and not a second link. */
const REST = `(?:(?!(?:[,;]|(?<=[a-z0-9]))https?:\\/\\/)[^\\s"'<>«»„“”‘’\`|\\\\^{}])`
/** The context of a classic link of Microsoft Teams is JSON, which some programs paste unencoded. */
const JSON_CONTEXT = 'context=\\{[^{}<>]{0,400}\\}'
const ADDRESS = new RegExp(
  `${SCHEME}(?:${JSON_CONTEXT}|${REST})+|https?%(?:25){0,2}3a%(?:25){0,2}2f[^\\s"'<>]+|${START_OF_HOST}${HOST}(?:[/?#](?:${JSON_CONTEXT}|${REST})*)?`,
  'giu',
)

/** In the order of the text, with a scheme and still with the punctuation around them. An address in another one is none. */
export function addressesIn(plain: string): string[] {
  const addresses: string[] = []
  for (const [found] of plain.matchAll(ADDRESS)) {
    if (addresses.length >= MAX_ADDRESSES) break
    if (found.length > MAX_MEETING_TEXT_LENGTH) continue
    if (/^https?%/i.test(found)) addresses.push(withPlainScheme(found))
    else if (new RegExp(`^${SCHEME}`, 'i').test(found)) addresses.push(found.replace(/^(https?):\/(?!\/)/i, '$1://'))
    else addresses.push(`https://${found}`)
  }
  return addresses
}

/** Ends a direct link at the first character that no meeting link has, and removes punctuation from its end. */
export function trimmedLink(address: string, extra: RegExp): string {
  const context = address.search(/context=\{/)
  const from = context < 0 ? 0 : address.indexOf('}', context) + 1
  const rest = address.slice(from)
  const at = rest.search(extra)
  let link = address.slice(0, from) + (at < 0 ? rest : rest.slice(0, at))
  // A regular expression with `+$` would be quadratic in a long run of such characters.
  let end = link.length
  while (end > from && '.,;:!?)]*_~'.includes(link[end - 1]!)) end--
  link = link.slice(0, end)
  return link
}

/** Removes one encoding; text without a valid one is returned as it is. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** An address that is encoded as a whole, decoded so far that its own encodings stay. */
export function withPlainScheme(address: string): string {
  let plain = address
  for (let time = 0; time < MAX_ENCODINGS && /^(?:https?|zoommtg|zoomus|msteams)%/i.test(plain); time++)
    plain = decoded(plain)
  return plain
}

export function fullyDecoded(text: string): string {
  let plain = text
  for (let time = 0; time < MAX_ENCODINGS && /%[0-9a-f]{2}/i.test(plain); time++) plain = decoded(plain)
  return plain
}
