/**
 * Changes who is in view without a gap: a video that comes into view may be empty at first, long enough to be recorded
 * on a busy machine. So the old tiles stay on top until the new ones have had time to appear underneath.
 */
import type { TileView } from './composite-tile.ts'
import type { Place } from './layout.ts'
import type { Surface } from './surface.ts'

export type Arrivals = ReturnType<typeof createArrivals>

/** `gone` is called for each tile that leaves the view. */
export function createArrivals(
  { nextFrame, framesToAppear }: Pick<Surface, 'nextFrame' | 'framesToAppear'>,
  gone: (view: TileView) => void,
) {
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
    place(view: TileView, place: Place): void {
      leaving.delete(view)
      view.keepAbove(false)
      view.place(place)
    },
    /** Takes a tile out of view: now, or, with `comesWithPicture`, as soon as its replacement has appeared. */
    takeAway(view: TileView, comesWithPicture: boolean): void {
      if (!comesWithPicture) {
        if (!leaving.has(view)) gone(view)
        return
      }
      leaving.add(view)
      view.keepAbove(true)
      const isCounting = framesLeft > 0
      framesLeft = framesToAppear
      if (!isCounting) nextFrame(countDown)
    },
    areDone: (): boolean => leaving.size === 0,
  }
}
