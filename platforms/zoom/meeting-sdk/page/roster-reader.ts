/** Keeps the people of the SDK's list, and reports who came, left, shares and raised a hand. */
import type { EventQueue } from '../../../shared/page/link.ts'
import { pageNow } from '../../../shared/page/page-clock.ts'
import type { Hands } from '../../../shared/page/people/hands.ts'
import { createRosterReporter } from '../../../shared/page/people/roster-reporter.ts'
import type { PageEvent } from '../../../shared/page/types.ts'
import { type Attendee, personOf, type SdkFactsStore } from './facts.ts'
import { type People, peopleOf } from './people.ts'

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
