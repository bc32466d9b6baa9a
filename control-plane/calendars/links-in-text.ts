/** Finds web addresses in untrusted text and HTML. Pure; time grows with the length alone. */
import { Parser } from 'htmlparser2'

/** Longer descriptions are read up to here; those of both providers are shorter. */
const MAX_TEXT = 200_000
const MAX_LINKS = 500
/** The longest that the job of a bot takes, and what a wrapper adds. */
const MAX_LINK = 8_192

const WITH_SCHEME = /https?:\/\/[^\s"'<>«»„“”‘’`|\\^{}]+/gi
/** Hosts that people write without a scheme. */
const BARE =
  /(?<![\w.\-@/=%])(?:[a-z0-9-]{1,63}\.){0,4}(?:zoom\.us|zoomgov\.com|meet\.google\.com|teams\.microsoft\.com|teams\.live\.com|teams\.cloud\.microsoft|meet\.jit\.si|8x8\.vc)\/[^\s"'<>«»„“”‘’`|\\^{}]+/gi
const TRAILING = '.,;:!?)]*_'

/** In the order of the text. Brackets and punctuation of the sentence around a link are left out. */
export function linksInText(text: string): string[] {
  const read = text.slice(0, MAX_TEXT)
  const found: { index: number; link: string }[] = []
  const rest = read.replace(WITH_SCHEME, (link, index: number) => {
    found.push({ index, link })
    return ' '.repeat(link.length)
  })
  for (const { 0: link, index } of rest.matchAll(BARE)) found.push({ index, link: `https://${link}` })
  return found
    .sort((one, other) => one.index - other.index)
    .slice(0, MAX_LINKS)
    .map(({ link }) => trimmed(link))
    .filter((link) => link.length <= MAX_LINK)
}

/** Targets of links first, then the text that people see, then addresses in angle brackets, which look like tags. */
export function linksInHtml(html: string): string[] {
  const read = html.slice(0, MAX_TEXT)
  const targets: string[] = []
  const texts: string[] = []
  const parser = new Parser(
    {
      onopentag(_name, { href }) {
        if (href && targets.length < MAX_LINKS) targets.push(href.trim())
        // A tag ends a word, and with it an address.
        texts.push(' ')
      },
      ontext: (text) => void texts.push(text),
      onclosetag: () => void texts.push(' '),
    },
    { decodeEntities: true },
  )
  parser.end(read)
  const addresses = targets.filter((target) => /^https?:\/\//i.test(target) && target.length <= MAX_LINK)
  const inBrackets = [...read.matchAll(/<(https?:\/\/[^\s"'<>]{1,8000})>/gi)].map(([, link]) =>
    link!.replace(/&amp;/gi, '&'),
  )
  return [...addresses, ...linksInText(texts.join('')), ...inBrackets.map(trimmed)]
}

/** A regular expression with `+$` would be quadratic in a long run of such characters. */
function trimmed(link: string): string {
  let end = link.length
  while (end > 0 && TRAILING.includes(link[end - 1]!)) end--
  return link.slice(0, end)
}
