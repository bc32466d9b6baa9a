/** Text as a person sees it, by block; an element's label without its icons. */

/** More lines than any page with a message has; a page full of text is not read to its end. */
const MAX_LINES = 250
const LINE_LENGTH = 400

export function isVisible(element: Element): boolean {
  return element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
}

/**
 * Blocks of visible text in document order. A block is gathered whole, however many nodes hold it. Subtrees that match
 * `without` are left out.
 */
export function visibleLines(root: Element, without: string): string[] {
  const lines: string[] = []
  let line = ''
  const flush = () => {
    const text = line.replace(/\s+/g, ' ').trim()
    if (text !== '' && lines.length < MAX_LINES) lines.push(text.slice(0, LINE_LENGTH))
    line = ''
  }
  const walk = (element: Element) => {
    if (lines.length >= MAX_LINES || element.matches(without)) return
    const style = getComputedStyle(element)
    if (style.display === 'none' || style.opacity === '0') return
    const isBlock = !style.display.startsWith('inline') && style.display !== 'contents'
    if (isBlock) flush()
    const isShown = style.visibility === 'visible'
    for (const node of element.childNodes) {
      if (node.nodeType === Node.TEXT_NODE) {
        if (isShown) line += node.nodeValue ?? ''
      } else if (node.nodeType === Node.ELEMENT_NODE) {
        if ((node as Element).tagName === 'BR') flush()
        else walk(node as Element)
      }
    }
    if (isBlock) flush()
  }
  walk(root)
  flush()
  return lines
}

/** Text of an element without icons and hidden copies. */
export function textWithout(element: Element, icons: string): string {
  let text = ''
  const walk = (node: Node) => {
    if (node.nodeType === Node.TEXT_NODE) text += node.nodeValue ?? ''
    else if (node.nodeType === Node.ELEMENT_NODE && !(node as Element).matches(icons)) {
      for (const child of node.childNodes) walk(child)
    }
  }
  for (const child of element.childNodes) walk(child)
  return text.replace(/\s+/g, ' ').trim()
}

/** The name of a button: its label, the text of the elements that label it, which may be hidden, or the text it shows. */
export function labelOf(element: Element, icons: string): string {
  const label = element.getAttribute('aria-label')?.trim() || labelledBy(element, icons)
  return label ? label : textWithout(element, icons)
}

function labelledBy(element: Element, icons: string): string {
  const ids = element.getAttribute('aria-labelledby')?.trim().split(/\s+/) ?? []
  const texts = ids.flatMap((id) => {
    const named = (element.getRootNode() as Document | ShadowRoot).getElementById?.(id)
    return named ? [named.getAttribute('aria-label')?.trim() || textWithout(named, icons)] : []
  })
  return texts.join(' ').trim()
}

/** The same normal form as in the driver, so that one wording serves both sides. */
export function plain(text: string): string {
  return text
    .replace(/[‘’ʼ＇]/g, "'")
    .replace(/[“”]/g, '"')
    .replace(/…/g, '...')
    .replace(/[\s\u00a0\u202f\u200b]+/g, ' ')
    .trim()
}
