/** A browser whose pages lose some of their marks as soon as they appear, as if the platform had changed them. */
import type { OpenBrowser } from '../../platforms/browser/browser.ts'
import { sharedChromium } from './shared-chromium.ts'

/** An attribute, and its values that are removed; of `class` only these names. */
type Marks = readonly (readonly [attribute: string, values: RegExp])[]

export function browserWithout(marks: Marks): OpenBrowser {
  const given = JSON.stringify(marks.map(([attribute, { source }]) => [attribute, source]))
  const script = `(${removeMarks})(${given});`
  return (environment, options, signal) =>
    sharedChromium.open(environment, { ...options, initScript: `${script}\n${options.initScript ?? ''}` }, signal)
}

/** Runs in the page, and can use its argument only. */
function removeMarks(marks: readonly (readonly [string, string])[]): void {
  const clean = (element: Element) => {
    for (const [attribute, source] of marks) {
      const value = element.getAttribute(attribute)
      if (value === null) continue
      const kept = attribute === 'class' ? value.split(/\s+/).filter((name) => !new RegExp(source).test(name)) : []
      if (attribute === 'class' && kept.join(' ') !== value) element.setAttribute('class', kept.join(' '))
      if (attribute !== 'class' && new RegExp(source).test(value)) element.removeAttribute(attribute)
    }
  }
  const observer = new MutationObserver((records) => {
    for (const { type, target, addedNodes } of records) {
      if (type === 'attributes') clean(target as Element)
      for (const node of addedNodes) {
        if (!(node instanceof Element)) continue
        clean(node)
        for (const inside of node.querySelectorAll('*')) clean(inside)
      }
    }
  })
  observer.observe(document, {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: marks.map(([attribute]) => attribute),
  })
}
