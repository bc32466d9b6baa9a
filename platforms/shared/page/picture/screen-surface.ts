/** Paints the composite as elements of the page, which the browser shows on its display. */
import { COMPOSITE_STYLE, LOOK } from './composite-style.ts'
import { create, createTileView, type ScreenTile, setRectangle } from './composite-tile.ts'
import type { Surface } from './surface.ts'

/**
 * Counted in frames, not in milliseconds, because a busy machine draws fewer of them. A video that comes into view is
 * empty for a frame or two, because the browser delivers no frames to invisible videos.
 */
const FRAMES_TO_APPEAR = 20

/** `root` is the layer over the page, `nextFrame` the browser's own `requestAnimationFrame`. */
export function createScreenSurface(
  root: ShadowRoot,
  emptyText: string,
  nextFrame: (callback: () => void) => void,
): Surface {
  const composite = create('div', 'composite')
  const rest = create('div', 'rest')
  const empty = create('div', 'empty')
  const text = create('span', '')
  text.textContent = emptyText
  empty.append(text)
  composite.append(rest, empty)
  const style = new CSSStyleSheet()
  style.replaceSync(COMPOSITE_STYLE)
  root.adoptedStyleSheets = [style]
  root.append(composite)
  const tiles = new Set<ScreenTile>()

  return {
    createTile(color, changed) {
      const tile = createTileView(composite, color, changed)
      tiles.add(tile)
      return {
        ...tile,
        dispose() {
          tiles.delete(tile)
          tile.dispose()
        },
      }
    },
    // A window may be a pixel larger than the screen it fills.
    size: () => ({
      width: Math.min(globalThis.innerWidth, globalThis.screen.width),
      height: Math.min(globalThis.innerHeight, globalThis.screen.height),
    }),
    setArea: (area) => setRectangle(composite, area),
    showRest(place, hiddenCount) {
      rest.classList.toggle('in-view', place !== null)
      if (place === null) return
      setRectangle(rest, place)
      rest.style.setProperty('font-size', `${Math.round(place.height * LOOK.restSize)}px`)
      rest.textContent = `+${hiddenCount}`
    },
    showEmpty: (isEmpty) => empty.classList.toggle('in-view', isEmpty),
    nextFrame,
    framesToAppear: FRAMES_TO_APPEAR,
    reattached() {
      for (const tile of tiles) tile.play()
    },
    dispose() {
      composite.remove()
      root.adoptedStyleSheets = []
    },
  }
}
