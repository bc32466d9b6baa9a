/** The tiles of the page: they replace the page's own state where it cannot be read. */
import { textWithout } from '../../shared/page/dom/visible-text.ts'
import type { SeenTile } from './people.ts'
import type { PageConfig } from './types.ts'

const PREFIX = 'participant_'
/** Other filmstrips give their tiles the same id with a suffix. */
const OTHER_STRIP = /_(?:stage|screenshare)$/

export function readTiles(selectors: PageConfig['selectors']): SeenTile[] {
  const found = new Map<string, SeenTile>()
  for (const element of document.querySelectorAll(selectors.remoteTile ?? ':not(*)')) {
    const id = idOf(element)
    if (id === null || found.has(id)) continue
    const name = element.querySelector(selectors.tileName ?? ':not(*)')
    const video = [...element.querySelectorAll('video')].find(({ srcObject }) => srcObject instanceof MediaStream)
    const stream = (video?.srcObject ?? null) as MediaStream | null
    found.set(id, { id, name: name ? textWithout(name, selectors.icon ?? 'svg').slice(0, 256) : '', stream })
  }
  return [...found.values()]
}

export function idOf(tile: Element): string | null {
  const id = tile.id.slice(PREFIX.length).replace(OTHER_STRIP, '')
  return tile.id.startsWith(PREFIX) && id !== '' ? id.slice(0, 128) : null
}
