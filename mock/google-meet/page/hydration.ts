/** Clicks that come to nothing, as on a page that is still hydrating, and the log of what was done to the page. */
import type { Context } from './context.ts'
import { randomOf } from './dom.ts'

const CLICKABLE = 'button, [role="button"], [role="menuitem"], a, input, textarea'

/**
 * Swallows clicks on elements that appeared a moment ago, and the first clicks on targets the scenario names. Whatever
 * was clicked, typed or pressed is reported.
 */
export function watchInput(context: Context): void {
  const { settings, say } = context
  const random = randomOf(settings.seed + 17)
  const ready = new WeakMap<Element, number>()
  const noteNew = (root: Element) => {
    for (const element of [root, ...root.querySelectorAll(CLICKABLE)]) {
      if (ready.has(element) || !element.matches(CLICKABLE)) continue
      ready.set(element, performance.now() + random.int(settings.hydrationMs[0], settings.hydrationMs[1]))
    }
  }
  new MutationObserver((records) => {
    for (const record of records) {
      for (const node of record.addedNodes) if (node instanceof Element) noteNew(node)
    }
  }).observe(document.body, { childList: true, subtree: true })

  const swallow = new Map(Object.entries(settings.swallow))
  const nameOf = (element: Element) =>
    element.getAttribute('aria-label') ??
    (element.querySelector('[jsname="V67aGc"]') ?? element).textContent?.trim() ??
    element.tagName

  document.addEventListener(
    'click',
    (event) => {
      const element = (event.target as Element | null)?.closest?.(CLICKABLE)
      if (!element) {
        say({ say: 'log', event: 'click', target: 'page', trusted: event.isTrusted })
        return
      }
      const target = nameOf(element)
      const key = [...swallow.keys()].find((name) => target.startsWith(name))
      const left = key === undefined ? 0 : (swallow.get(key) ?? 0)
      const hydrating = performance.now() < (ready.get(element) ?? 0)
      const isText = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement
      const swallowed = !isText && (hydrating || left > 0)
      if (swallowed) {
        event.stopImmediatePropagation()
        event.preventDefault()
        if (!hydrating && key !== undefined) swallow.set(key, left - 1)
      }
      say({ say: 'log', event: 'click', target, trusted: event.isTrusted, detail: swallowed ? 'swallowed' : undefined })
    },
    true,
  )
  document.addEventListener(
    'input',
    (event) => {
      const element = event.target as HTMLInputElement
      say({ say: 'log', event: 'fill', target: nameOf(element), trusted: event.isTrusted, detail: element.value })
    },
    true,
  )
  document.addEventListener(
    'keydown',
    (event) => say({ say: 'log', event: 'key', target: event.key, trusted: event.isTrusted }),
    true,
  )
}
