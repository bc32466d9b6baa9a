/**
 * The surface on which a composite is painted. The composite decides who is seen where; a surface makes it visible for
 * the recorder.
 */
import type { CreateTile } from './composite-tile.ts'
import type { Rectangle } from './layout.ts'

export interface Surface {
  createTile: CreateTile
  /** Pixels of the whole picture. */
  size(): { width: number; height: number }
  /** The part of the whole that is used; places of tiles are relative to it. */
  setArea(area: Rectangle): void
  /** The place that shows the number of people without a tile; null removes it. */
  showRest(place: Rectangle | null, hiddenCount: number): void
  /** While the bot is alone. */
  showEmpty(isEmpty: boolean): void
  /** Calls back when all changes so far had their turn to be painted. */
  nextFrame(callback: () => void): void
  /** After so many frames in view a video is surely visible. */
  readonly framesToAppear: number
  /** The page had removed the layer over it, and the layer is back. */
  reattached(): void
  /** Removes the painting; its tiles are unusable afterwards. */
  dispose(): void
}
