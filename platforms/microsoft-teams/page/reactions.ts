/** Raised hands, from the marks of the tiles. */
import type { Hands } from '../../shared/page/people/hands.ts'
import type { People } from './people.ts'
import { ownerOf, type SeenTile } from './tiles.ts'

/** Returns the function that reads them once. */
export function createReactionReader(hands: Hands, people: People): (tiles: readonly SeenTile[], at: number) => void {
  return (tiles, at) => {
    const present = new Map(people.present().map((person) => [person.id, person]))
    for (const tile of tiles) {
      const id = tile.isScreen || tile.isSelf ? null : ownerOf(tile, people)
      const person = id === null ? null : present.get(id)
      if (person) hands.update(person, tile.hasHand, at)
    }
  }
}
