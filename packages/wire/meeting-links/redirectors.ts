/** The links that mail and chat products put around other links. Pure. */
import { decoded, withPlainScheme } from './text.ts'

/** Gateways of companies. Some of their links name no target; only the gateway knows it. */
const GATEWAYS = [
  /^urldefense\.(?:com|us|proofpoint\.com)$/,
  /(?:^|\.)urlisolation\.com$/,
  /^linkprotect\.cudasvc\.com$/,
  /(?:^|\.)protection\.sophos\.com$/,
  /(?:^|\.)mimecast(?:protect)?\.com$/,
  /^secure-web\.cisco\.com$/,
  /(?:^|\.)(?:[a-z0-9-]+-ctp|ctp|clicktime)\.trendmicro\.com$/,
  /^clicktime\.(?:cloud\.postoffice\.net|symantec\.com)$/,
  /^protect\d?\.(?:fireeye|trellix|checkpoint)\.com$/,
  /^url\.avanan\.click$/,
  /^scanmail\.trustwave\.com$/,
  /^link\.(?:edgepilot|zixcentral)\.com$/,
  /^urlsand\.(?:esvalabs\.)?com$/,
  /^shared\.outlook\.inky\.com$/,
  /^url\.emailprotection\.link$/,
]
/** Only these are followed: a meeting link in the query of any other host is no meeting. */
const HOSTS = [
  ...GATEWAYS,
  // Searches, calendars and sign-in pages.
  /^(?:www\.)?google\.(?:com?\.)?[a-z]{2,3}$/,
  /^accounts\.google\.com$/,
  /^(?:www\.)?(?:bing|duckduckgo|youtube)\.com$/,
  // Microsoft, with the page that Teams shows before a link.
  /(?:^|\.)safelinks\.protection\.(?:outlook\.(?:com|us|cn)|office365\.us|partner\.outlook\.cn)$/,
  /^statics\.teams\.(?:cdn\.office\.net|microsoft\.com)$/,
  /^(?:outlook\.(?:office|office365|live)\.com|outlook\.office365\.us)$/,
  // Chats and networks.
  /^slack-redir\.net$/,
  /^(?:www\.)?linkedin\.com$/,
  /^lm?\.(?:facebook|messenger|instagram|workplace|threads)\.com$/,
  /^(?:www\.)?discord(?:app)?\.com$/,
  /^out\.reddit\.com$/,
  /^(?:www\.)?vk\.com$/,
  /^deref-(?:gmx\.net|gmx\.com|web\.de|mail\.com)$/,
  /^(?:www\.)?meet\.google\.com$/,
]

export function isGateway({ hostname }: URL): boolean {
  return GATEWAYS.some((host) => host.test(hostname))
}

/** The addresses inside a link of a known redirector; null for any other link, among them those of meetings. */
export function addressesInside(link: string, url: URL): string[] | null {
  const { hostname, pathname, searchParams } = url
  if (!HOSTS.some((host) => host.test(hostname))) return null
  if (/^(?:www\.)?meet\.google\.com$/.test(hostname) && pathname !== '/linkredirect') return null
  if (hostname.startsWith('urldefense.')) return fromUrlDefense(link, url)
  const inPath = /(?:https?|zoommtg|zoomus|msteams)(?::\/|%(?:25){0,2}3a).*$/i.exec(pathname)?.[0]
  // Check Point and Avanan put the address between underscores, as it is, with its query.
  const between = /___(https?:\/\/.+?)___/i.exec(link)?.[1]
  // The query belongs to an address in the path, if that is not encoded.
  const path = inPath && (/^[a-z]+%/i.test(inPath) ? inPath : `${inPath}${url.search}${url.hash}`)
  return [between ?? path ?? '', ...searchParams.values()].flatMap((value) => addressOf(value.trim()))
}

function addressOf(value: string): string[] {
  const fromBase64 = (text: string) => Buffer.from(text.replaceAll(' ', '+'), 'base64').toString('utf8')
  // Sophos writes base64, and Bing puts two characters before it.
  const forms = /^[\w+/=\- ]{16,}$/.test(value) ? [fromBase64(value), fromBase64(value.slice(2))] : [value]
  return forms.map(withPlainScheme).filter((form) => /^(?:https?|zoommtg|zoomus|msteams):/i.test(form))
}

/**
 * Version 1 encodes as usual. Version 2 writes `-` for `%` and `_` for `/`. Version 3 is
 * `https://urldefense.com/v3/__<address>__;<replaced characters>!!…`: each `*` replaces the next character of the base64
 * text; `**A` and so on replace runs of them.
 */
function fromUrlDefense(link: string, { pathname, searchParams }: URL): string[] {
  const given = searchParams.get('u')
  if (given !== null && /^\/v[12]\//.test(pathname))
    return [pathname.startsWith('/v1/') ? given : decoded(given.replaceAll('-', '%').replaceAll('_', '/'))]
  const [, body, encoded = ''] = /\/v3\/__(.+?)__;([^!]*)/.exec(link) ?? []
  if (body === undefined) return []
  const characters = Buffer.from(encoded, 'base64url').toString('utf8')[Symbol.iterator]()
  const nextCharacters = (count: number) => [...characters.take(count)].join('')
  const address = body.replace(/\*(?:\*([A-Za-z0-9_-]))?/g, (_, run: string | undefined) =>
    run === undefined ? nextCharacters(1) : nextCharacters(RUN_LENGTHS.indexOf(run) + 2),
  )
  // Some gateways drop one of the slashes behind the scheme.
  return [address.replace(/^(https?):\/(?=[^/])/i, '$1://')]
}

const RUN_LENGTHS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
