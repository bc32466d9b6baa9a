/**
 * Changes of who is in view, without a gap. A video that comes into view shows nothing for a frame or two, because the
 * browser stops handing over pictures of what is not seen; on a busy machine that is long enough to be recorded. So who
 * was in view stays on top until the others have had time to appear underneath.
 */
import type { TileView } from './composite-tile.ts'
import type { Place } from './layout.ts'

/** Counted in frames, not in milliseconds, because a busy machine draws fewer of them. */
const FRAMES_TO_APPEAR = 20

export interface Arrivals {
  place(view: TileView, place: Place): void
  /** Takes a tile out of view: now, or as soon as what `comesWithPicture` in its stead has appeared. */
  takeAway(view: TileView, comesWithPicture: boolean): void
  areDone(): boolean
}

/** `gone` is called for each tile that is to be out of view. */
export function createArrivals(nextFrame: (callback: () => void) => number, gone: (view: TileView) => void): Arrivals {
  const leaving = new Set<TileView>()
  let framesLeft = 0

  function countDown(): void {
    if (--framesLeft > 0) {
      nextFrame(countDown)
      return
    }
    for (const view of leaving) {
      view.keepAbove(false)
      gone(view)
    }
    leaving.clear()
  }

  return {
    place(view, place) {
      leaving.delete(view)
      view.keepAbove(false)
      view.place(place)
    },
    takeAway(view, comesWithPicture) {
      if (!comesWithPicture) {
        if (!leaving.has(view)) gone(view)
        return
      }
      leaving.add(view)
      view.keepAbove(true)
      const isCounting = framesLeft > 0
      framesLeft = FRAMES_TO_APPEAR
      if (!isCounting) nextFrame(countDown)
    },
    areDone: () => leaving.size === 0,
  }
}
