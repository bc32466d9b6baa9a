/** Captions: a region that exists only while they are on. Its rows are rewritten while a participant speaks. */

import { box, h } from '../../shared/page/dom.ts'
import type { Context } from './context.ts'

export interface Captions {
  /** Where the region is, while captions are on. */
  place: HTMLElement
  setOn(on: boolean): void
  update(row: number, name: string, text: string): void
  /** Puts a new node in place of the region, as a toggle in the real page does. */
  replace(): void
}

const ROWS_KEPT = 4

export function captionsOf(context: Context): Captions {
  const { cls, words } = context
  const place = box(cls('captionsPlace'))
  let region: HTMLElement | null = null
  let scroller = h('div')
  let rows = new Map<number, HTMLElement>()

  const make = () => {
    rows = new Map()
    scroller = h('div')
    region = h(
      'div',
      { role: 'region', 'aria-label': words('Captions'), tabindex: 0, class: cls('captions') },
      scroller,
      // Two children that are not caption rows.
      box(cls('captionsTail')),
      box(cls('captionsTail')),
    )
    place.replaceChildren(region)
  }
  return {
    place,
    setOn(on) {
      if (on) make()
      else {
        region = null
        place.replaceChildren()
      }
    },
    update(row, name, text) {
      if (!region) return
      let element = rows.get(row)
      if (!element) {
        element = box(
          cls('captionRow'),
          h(
            'div',
            // People without a picture have none here either, and their name is no span.
            row % 2 === 0 && h('img', { alt: '', class: cls('captionFace') }),
            h(row % 2 === 0 ? 'span' : 'div', { class: cls('captionSpeaker') }, name),
          ),
          box(cls('captionText')),
        )
        rows.set(row, element)
        scroller.append(element)
      }
      const words = element.lastElementChild
      if (words) words.textContent = text
      for (const [key, old] of rows) {
        if (rows.size <= ROWS_KEPT) break
        old.remove()
        rows.delete(key)
      }
    },
    replace() {
      if (region) make()
    },
  }
}
