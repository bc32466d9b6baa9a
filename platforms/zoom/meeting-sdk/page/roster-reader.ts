/** Keeps the people of the SDK's list, and reports who came, left, shares and raised a hand. */
import type { EventQueue } from '../../../shared/page/link.ts'
import { pageNow } from '../../../shared/page/page-clock.ts'
import type { Hands } from '../../../shared/page/people/hands.ts'
import { createRosterReporter } from '../../../shared/page/people/roster-reporter.ts'
import type { PageEvent, PageParticipant } from '../../../shared/page/types.ts'
import { type Attendee, numberOf, personOf, type SdkFactsStore } from './facts.ts'

export interface RosterParts {
  botName: string
  facts: Pick<SdkFactsStore, 'facts' | 'ownId'>
  queue: Pick<EventQueue, 'hasBegun'>
  hands: Hands
  emit(event: PageEvent): void
}

export function createRosterReader({ botName, facts, queue, hands, emit }: RosterParts) {
  const reporter = createRosterReporter(botName, emit)
  const ownIds = new Set<number>()
  let present: People = { people: [], sharing: new Set(), hands: new Set() }

  function report(): void {
    if (!queue.hasBegun) return
    const at = pageNow()
    reporter.update({ people: present.people, selfIsKnown: ownIds.size > 0, sharing: present.sharing }, at)
    for (const person of present.people) hands.set(person, present.hands.has(person.id), at)
  }

  return {
    begin(at: number): void {
      reporter.begin(at)
      report()
    },
    handleAttendees(attendees: readonly Attendee[]): void {
      if (facts.ownId !== null) ownIds.add(personOf(facts.ownId))
      if (!facts.facts.isAttendee) return
      present = peopleOf(attendees, ownIds)
      report()
    },
    present: (): People => present,
    isPresent: (id: string): boolean => present.people.some((person) => person.id === id),
    /** Ids that the bot has now and had before. Each rejoin gives it another one. */
    ownIds,
  }
}

/** Turns the SDK's list of attendees into people of the meeting. Pure. Other bots and people on hold are left out. */
const NAME_LENGTH = 256
const MAX_PEOPLE = 3000

interface People {
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
