/** The people of a meeting as the bot's row keeps them during the meeting; the final report replaces the lists. */
import type { Person } from '@standin/wire/events.ts'

/** Of a running meeting; each change writes the whole list again, and the final report has the full list. */
const MAX_PEOPLE = 2_000

/**
 * The list with people of a later attempt added. People with the same platform id are the same person, also in the
 * whole `roster`; a new person gets the next number.
 */
export function withPeopleOfLaterAttempt(people: unknown, added: readonly Person[], roster: unknown = people): unknown {
  return added.reduce((list, person) => {
    const known = [...listOf(list), ...listOf(roster)]
    const same = known.find(({ platform_id }) => platform_id === person.platform_id)
    const id = same?.id ?? known.reduce((most, each) => Math.max(most, each.id), 0) + 1
    return withPerson(list, { ...person, id })
  }, people)
}

const listOf = (people: unknown): Person[] => (Array.isArray(people) ? people : [])

/** The list with this person in it, or the same list if nothing is new. */
export function withPerson(people: unknown, person: Person): unknown {
  const list = Array.isArray(people) ? (people as Person[]) : []
  const place = list.findIndex(({ id }) => id === person.id)
  if (place === -1) return list.length < MAX_PEOPLE ? [...list, person] : people
  const known = list[place]!
  const isSame =
    known.name === person.name && known.platform_id === person.platform_id && known.is_host === person.is_host
  return isSame ? people : list.with(place, person)
}
