/** The page's controls, their labels, and where they are. */

import { labelOf } from '../../shared/page/dom/visible-text.ts'
import { createWording, type Wording } from '../../shared/page/dom/wording.ts'
import type { PageConfig } from './types.ts'

export interface Controls extends Wording {
  select(name: string): string
  all(name: string): Element[]
  label(element: Element): string
  inDialog(element: Element): boolean
  inTile(element: Element): boolean
  /** Those outside of tiles: a tile has its own. */
  clickable(): Element[]
}

export function createControls(selectors: PageConfig['selectors'], labels: PageConfig['labels']): Controls {
  const select = (name: string) => selectors[name] ?? ':not(*)'
  const all = (name: string) => [...document.querySelectorAll(select(name))]
  const inTile = (element: Element) => element.closest(select('tile')) !== null
  return {
    ...createWording(labels),
    ...{ select, all, inTile },
    label: (element) => labelOf(element, select('icon')),
    inDialog: (element) => element.closest(select('dialog')) !== null,
    clickable: () => all('clickable').filter((element) => !inTile(element)),
  }
}
