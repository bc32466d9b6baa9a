/** Swallows clicks, as a page that is still hydrating does, and logs all input to the page. */
import type { LogMessage } from './protocol.ts'
import { randomOf } from './random.ts'

const CLICKABLE = 'button, [role="button"], [role="menuitem"], a, input, textarea'

export interface InputWatch {
  seed: number
  /** How long a new element ignores clicks, from and to. */
  hydrationMs: readonly [number, number]
  /** The first clicks on these targets are ignored: beginning of the target's name to number of clicks. */
  swallow: Readonly<Record<string, number>>
  say(message: LogMessage): void
  /** The name of a target in the log; its label or text by default. */
  nameOf?(element: Element): string
}

/**
 * Swallows clicks on elements that appeared a moment ago, and the first clicks on targets the scenario names. Reports
 * every click, input and key.
 */
export function watchInput({ seed, hydrationMs, swallow, say, nameOf = labelOrText }: InputWatch): void {
  const random = randomOf(seed + 17)
  const ready = new WeakMap<Element, number>()
  const noteNew = (root: Element) => {
    for (const element of [root, ...root.querySelectorAll(CLICKABLE)]) {
      if (ready.has(element) || !element.matches(CLICKABLE)) continue
      ready.set(element, performance.now() + random.int(hydrationMs[0], hydrationMs[1]))
    }
  }
  new MutationObserver((records) => {
    for (const record of records) {
      for (const node of record.addedNodes) if (node instanceof Element) noteNew(node)
    }
  }).observe(document.body, { childList: true, subtree: true })

  const toSwallow = new Map(Object.entries(swallow))
  document.addEventListener(
    'click',
    (event) => {
      const element = (event.target as Element | null)?.closest?.(CLICKABLE)
      if (!element) {
        say({ say: 'log', event: 'click', target: 'page', trusted: event.isTrusted })
        return
      }
      const target = nameOf(element)
      const key = [...toSwallow.keys()].find((name) => target.startsWith(name))
      const left = key === undefined ? 0 : (toSwallow.get(key) ?? 0)
      const hydrating = performance.now() < (ready.get(element) ?? 0)
      const isText = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement
      const swallowed = !isText && (hydrating || left > 0)
      if (swallowed) {
        event.stopImmediatePropagation()
        event.preventDefault()
        if (!hydrating && key !== undefined) toSwallow.set(key, left - 1)
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

function labelOrText(element: Element): string {
  return element.getAttribute('aria-label') ?? element.textContent?.trim() ?? element.tagName
}
