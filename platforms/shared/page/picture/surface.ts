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
  /** In the place of people for whom there is none; null takes it away. */
  showRest(place: Rectangle | null, hiddenCount: number): void
  /** While the bot is alone. */
  showEmpty(isEmpty: boolean): void
  /** Calls back when everything asked for so far had its turn to be painted. */
  nextFrame(callback: () => void): void
  /** So many frames after a video came into view it is surely seen. */
  readonly framesToAppear: number
  /** The page had removed the layer over it, and the layer is back. */
  reattached(): void
  /** Takes what was painted away; its tiles are of no use any more. */
  dispose(): void
}
