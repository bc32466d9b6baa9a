/** Markup of a message as elements, also on a page whose policy (Trusted Types) forbids to parse texts. */

const TOKENS = /<!--.{0,1000}?-->|<(\/?)([a-z][a-z0-9-]{0,40})((?:[^<>"']|"[^"]*"|'[^']*')*)>|[^<]+|</gis
const ATTRIBUTES = /([a-z][a-z0-9-]*)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+))/gi
/** Attributes that readers of a message use; none of them can load or run something. */
const KEPT = new Set(['alt', 'class', 'data-tid', 'data-track-module-name', 'href', 'itemid', 'itemtype'])
const WITHOUT_END = new Set([
  'area',
  'base',
  'br',
  'col',
  'embed',
  'hr',
  'img',
  'input',
  'link',
  'meta',
  'source',
  'wbr',
])
const MAX_DEPTH = 100
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' }

/** The body of a separate document, in which no script runs and no file loads. */
export function parsedMarkup(markup: string): HTMLElement {
  try {
    return new DOMParser().parseFromString(markup, 'text/html').body
  } catch {
    return builtFrom(markup)
  }
}

/** Element by element, which no policy forbids. Bad nesting costs structure, never words. */
function builtFrom(markup: string): HTMLElement {
  const { body } = document.implementation.createHTMLDocument()
  const open: Element[] = [body]
  for (const [token, end, name = '', attributes = ''] of markup.matchAll(TOKENS)) {
    const parent = open.at(-1)!
    if (end === undefined) parent.append(token.startsWith('<!--') ? '' : withoutEntities(token))
    else if (end === '/') {
      const at = open.findLastIndex(({ localName }) => localName === name.toLowerCase())
      if (at > 0) open.length = at
    } else if (open.length < MAX_DEPTH) {
      const element = body.ownerDocument.createElement(name)
      for (const [, key = '', ...values] of attributes.matchAll(ATTRIBUTES))
        if (KEPT.has(key.toLowerCase()))
          element.setAttribute(key, withoutEntities(values.find((value) => value !== undefined) ?? ''))
      parent.append(element)
      if (!WITHOUT_END.has(element.localName) && !attributes.endsWith('/')) open.push(element)
    }
  }
  return body
}

function withoutEntities(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]{2,6}));/gi, (entity, hex, decimal, name) => {
    if (name) return NAMED[name.toLowerCase()] ?? entity
    const code = Number.parseInt(hex ?? decimal, hex ? 16 : 10)
    return code <= 0x10ffff ? String.fromCodePoint(code) : entity
  })
}
