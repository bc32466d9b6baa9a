/** The page's controls, their labels, and where they are. */

import { labelOf } from '../../shared/page/dom/visible-text.ts'
import { createWording } from '../../shared/page/dom/wording.ts'
import type { PageConfig } from './types.ts'

export type Controls = ReturnType<typeof createControls>

export function createControls(selectors: PageConfig['selectors'], labels: PageConfig['labels']) {
  const select = (name: string) => selectors[name] ?? ':not(*)'
  const all = (name: string) => [...document.querySelectorAll(select(name))]
  const inTile = (element: Element) => element.closest(select('tile')) !== null
  return {
    ...createWording(labels),
    ...{ select, all, inTile },
    label: (element: Element) => labelOf(element, select('icon')),
    inDialog: (element: Element) => element.closest(select('dialog')) !== null,
    /** Those outside of tiles: a tile has its own. */
    clickable: () => all('clickable').filter((element) => !inTile(element)),
  }
}
