/** The people whom the page marks as speaking: by the frame of a tile, or by name in a label. */
import type { Elements } from './elements.ts'
import type { Person, Roster } from './roster.ts'
import type { MarkedPerson } from './speakers.ts'
import type { SeenTile } from './tiles.ts'

/** `owners` has the person of each tile; null where it is not known. */
export function readMarks(
  { all }: Pick<Elements, 'all'>,
  roster: Pick<Roster, 'named'>,
  tiles: readonly SeenTile[],
  owners: readonly (Person | null)[],
): MarkedPerson[] {
  const talking = all('talking')
    .flatMap((label) => (label.textContent ?? '').replace(/^[^:]*:/, '').split(','))
    .flatMap((name) => roster.named(name.trim()) ?? [])
  const active = tiles.flatMap(({ isActive, isMuted }, index) => {
    const owner = owners[index]
    return isActive && owner ? [{ id: owner.id, isMuted }] : []
  })
  return [...active, ...talking.map(({ id }) => ({ id, isMuted: false }))]
}
