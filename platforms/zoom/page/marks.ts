/** The people whom the page marks as speaking: by the frame of a tile, or by name in a label. */
import type { Elements } from './elements.ts'
import type { Person, Roster } from './roster.ts'
import type { MarkedPerson } from './speakers.ts'
import type { SeenTile } from './tiles.ts'

/** `owners` has the person of each tile; null if it is not known. */
export function readMarks(
  { all }: Pick<Elements, 'all'>,
  roster: Pick<Roster, 'named'>,
  tiles: readonly SeenTile[],
  owners: readonly (Person | null)[],
): MarkedPerson[] {
  const talking = all('talking').flatMap((label) =>
    namedIn((label.textContent ?? '').replace(/^[^:]*:/, '').split(','), roster),
  )
  const active = tiles.flatMap(({ isActive, isMuted }, index) => {
    const owner = owners[index]
    return isActive && owner ? [{ id: owner.id, isMuted }] : []
  })
  return [...active, ...talking.map(({ id }) => ({ id, isMuted: false }))]
}

/** Commas divide names and may be part of one: the longest name that the roster knows counts. */
function namedIn(parts: readonly string[], roster: Pick<Roster, 'named'>): Person[] {
  const people: Person[] = []
  for (let from = 0; from < parts.length; ) {
    let to = parts.length
    let person = roster.named(parts.slice(from, to).join(',').trim())
    while (person === null && to > from + 1) person = roster.named(parts.slice(from, --to).join(',').trim())
    if (person) people.push(person)
    from = person ? to : from + 1
  }
  return people
}
