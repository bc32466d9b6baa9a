/** Which selectors find an element of the page, and which wording it shows: what a check of the page reports. */
import { reachableDocuments } from './documents.ts'
import { isVisible, labelOf, visibleLines } from './visible-text.ts'
import { createWording } from './wording.ts'

export interface Census {
  /** Names, such as `selectors.join` and `labels.join`. */
  found: string[]
}

/** `words` are sources of expressions by name, such as `labels.join`. */
export function pageCensus(
  selectors: Readonly<Record<string, string>>,
  words: Readonly<Record<string, string>>,
): Census {
  const { says } = createWording(words)
  const documents = reachableDocuments()
  const icon = selectors.icon ?? 'svg'
  const all = (css: string) => documents.flatMap((place) => [...place.querySelectorAll(css)])
  const controls = all(`${selectors.clickable ?? 'button'}, input, textarea, [aria-label]`).filter(isVisible)
  const lines = documents.flatMap((place) => (place.body ? visibleLines(place.body, icon) : []))
  const texts = [
    ...new Set([...lines, ...controls.flatMap((control) => [labelOf(control, icon), placeholderOf(control)])]),
  ]
  const marks = Object.entries(selectors).filter(([, css]) => all(css).length > 0)
  const spoken = Object.keys(words).filter((name) => texts.some((text) => text !== '' && says(name, text)))
  return { found: [...marks.map(([name]) => `selectors.${name}`), ...spoken] }
}

const placeholderOf = (element: Element): string => element.getAttribute('placeholder') ?? ''
