/** Finds Microsoft Teams links in what people paste: in running text, encoded, escaped, or wrapped by mail programs. Pure. */
import { START_OF_HOST, trimEndOf } from '../shared/link-text.ts'

const HOST =
  '(?:[a-z0-9-]+\\.)*(?:teams\\.microsoft\\.com|teams\\.live\\.com|teams\\.cloud\\.microsoft|teams\\.microsoft\\.us)'
/** Everything but white space, quotes and brackets of the sentence around a link. */
const REST = `[^\\s"'<>«»„“”‘’\`|\\\\^{}]`
/** The context of a classic link is JSON, which some programs paste unencoded. */
const JSON_CONTEXT = 'context=\\{[^{}<>]{0,400}\\}'
const LINK = new RegExp(
  `(?:https?://|${START_OF_HOST})${HOST}(?![\\w-]|\\.\\w)(?::\\d+)?(?:[/?#](?:${JSON_CONTEXT}|${REST})*)?`,
  'gi',
)
/** Mail programs and search results lead over their own pages. */
const WRAPPER = new RegExp(
  `https?://(?:[a-z0-9-]+\\.safelinks\\.protection\\.outlook\\.(?:com|us)/|(?:www\\.)?google\\.[a-z.]{2,10}/url)\\?${REST}+`,
  'gi',
)
/** A link that is encoded as a whole, up to three times. */
const ENCODED = /https?%(?:25){0,2}3a%(?:25){0,2}2f[^\s"'<>]+/gi
const TRAILING = '.,;:!?)]*_'
const MAX_DEPTH = 3

/** Links on hosts of Microsoft Teams, in their order in the text, without wrappers and encodings. */
export function teamsLinksIn(text: string): URL[] {
  // Shells escape characters, and HTML sources write the ampersand as an entity.
  return linksIn(text.replace(/\\([?=&#%])/g, '$1').replace(/&amp;/gi, '&'), 0)
}

function linksIn(text: string, depth: number): URL[] {
  if (depth > MAX_DEPTH) return []
  const found: { index: number; urls: URL[] }[] = []
  let rest = text
  const extract = (expression: RegExp, inside: (match: string) => string | null) => {
    rest = rest.replace(expression, (match: string, index: number) => {
      const onward = inside(match)
      if (onward !== null) found.push({ index, urls: linksIn(onward, depth + 1) })
      // As long as before, so that positions stay valid.
      return ' '.repeat(match.length)
    })
  }
  extract(WRAPPER, (match) => {
    const url = parse(match)
    return url?.searchParams.get('url') ?? url?.searchParams.get('q') ?? null
  })
  extract(ENCODED, (match) => decoded(match))
  for (const match of rest.matchAll(LINK)) {
    const url = parse(trimEndOf(match[0], TRAILING))
    if (url) found.push({ index: match.index, urls: [url] })
  }
  return found.sort((one, other) => one.index - other.index).flatMap(({ urls }) => urls)
}

function parse(link: string): URL | null {
  const full = /^https?:\/\//i.test(link) ? link : `https://${link}`
  return URL.canParse(full) ? new URL(full) : null
}

/** Removes one encoding; text without a valid one is returned as it is. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
