/** Icons. */
import { h } from '../../shared/page/dom.ts'

let iconClass: (name: string) => string = () => ''

/** Icons look right once their glyphs have class names; the page's start sets them. */
export function useIconClasses(cls: (part: string) => string): void {
  iconClass = (name) => cls(iconPart(name))
}

/** The logical part an icon's class is made for. */
export function iconPart(name: string): string {
  return `icon-${name}`
}

/** An icon is text: its ligature is what a reader of the DOM sees. */
export function icon(name: string): HTMLElement {
  return h('i', { class: `google-symbols ${iconClass(name)}`, 'aria-hidden': 'true' }, name)
}
