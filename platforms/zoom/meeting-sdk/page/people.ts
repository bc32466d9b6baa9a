/** Turns the SDK's list of attendees into people of the meeting. Pure. Other bots and people on hold are left out. */
import type { PageParticipant } from '../../../shared/page/types.ts'
import { type Attendee, numberOf, personOf } from './facts.ts'

const NAME_LENGTH = 256
const MAX_PEOPLE = 3000

export interface People {
  /** In the SDK's order, without the bot. */
  people: PageParticipant[]
  sharing: Set<string>
  /** Ids of people whose hand is up. */
  hands: Set<string>
}

export function peopleOf(attendees: readonly Attendee[], ownIds: ReadonlySet<number>): People {
  const people = new Map<string, PageParticipant>()
  const sharing = new Set<string>()
  const hands = new Set<string>()
  for (const attendee of attendees.slice(0, MAX_PEOPLE)) {
    const userId = numberOf(attendee.userId)
    if (userId === null || ownIds.has(personOf(userId))) continue
    if (attendee.isHold === true || attendee.isBotUser === true) continue
    const id = String(personOf(userId))
    people.set(id, { id, name: nameOf(attendee.userName), isHost: attendee.isHost === true })
    if (attendee.raiseHand === true) hands.add(id)
    // The last picture of a paused screen stays.
    if (attendee.sharingStatus === 'sharing' || attendee.sharingStatus === 'paused') sharing.add(id)
  }
  return { people: [...people.values()], sharing, hands }
}

function nameOf(name: unknown): string {
  const text = typeof name === 'string' ? name.trim().slice(0, NAME_LENGTH) : ''
  return text === '' ? 'Unknown' : text
}
