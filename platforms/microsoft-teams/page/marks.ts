/** The people whose tiles show that they speak: by marks, and by outlines that move. */
import type { Wording } from '../../shared/page/dom/wording.ts'
import type { People } from './people.ts'
import { createMarkReader, watchMotion } from './speaking-marks.ts'
import { ownerOf, type SeenTile } from './tiles.ts'

export interface MarkParts {
  /** Selector of the outline of a tile. */
  outline: string
  wording: Wording
  people: People
  mark(participantId: string): void
}

/** Returns the function that reads the marks of the tiles once. */
export function watchMarks({ outline, wording, people, mark }: MarkParts): (tiles: readonly SeenTile[]) => void {
  const reader = createMarkReader(wording.says)
  let latest: readonly SeenTile[] = []

  function markOwner(tile: SeenTile): void {
    const id = tile.isScreen || tile.isSelf ? null : ownerOf(tile, people)
    if (id !== null) mark(id)
  }

  watchMotion(outline, (moved) => {
    const tile = latest.find((seen) => seen.outline === moved)
    if (tile) markOwner(tile)
  })
  return (tiles) => {
    latest = tiles
    for (const tile of reader.read(tiles)) markOwner(tile)
  }
}
