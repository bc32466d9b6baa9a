/** Reads from the tiles who speaks: the dots that grow with the voice, and who became the dominant speaker. */
import { idOf } from './tiles.ts'
import type { PageConfig } from './types.ts'

/**
 * The dominant speaker stays dominant in silence, so only the change is a sign; the dots are a sign only while they are
 * shown.
 */
export function watchMarks(selectors: PageConfig['selectors'], mark: (participantId: string) => void): void {
  const dot = selectors.levelDot ?? ':not(*)'
  const tile = selectors.remoteTile ?? ':not(*)'
  const dominant = selectors.dominantTile ?? ':not(*)'
  const wasDominant = new WeakSet<Element>()

  const observer = new MutationObserver((mutations) => {
    // Three dots change together: that is one sign.
    const marked = new Set<string>()
    for (const { target, attributeName } of mutations) {
      if (!(target instanceof HTMLElement)) continue
      if (attributeName === 'class') {
        if (!target.matches(dominant)) wasDominant.delete(target)
        else if (!wasDominant.has(target)) {
          wasDominant.add(target)
          add(marked, target)
        }
      } else if (target.matches(dot) && Number(target.style.opacity || '0') > 0) add(marked, target.closest(tile))
    }
    for (const id of marked) mark(id)
  })
  observer.observe(document, { subtree: true, attributes: true, attributeFilter: ['class', 'style'] })
}

function add(marked: Set<string>, tile: Element | null): void {
  const id = tile && idOf(tile)
  if (id) marked.add(id)
}
