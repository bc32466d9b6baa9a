/**
 * People who came before the bot are named in one answer over HTTP only
 * (docs/platform-notes/microsoft-teams.md#roster-messages).
 */
import { listenToFetch } from '../../shared/page/fetched-answers.ts'
import { objectOf, parsed } from './json.ts'
import { type PersonRecord, peopleOf } from './signalling.ts'

const MAY_HOLD_ROSTER = /conv|roster/i
const LONGEST = 4_000_000

/** Calls `unread` for answers that should hold a roster and do not. */
export function listenToRosterCalls(heard: (people: PersonRecord[]) => void, unread: () => void): void {
  const read = (text: string) => {
    try {
      const answer = text.length <= LONGEST ? objectOf(parsed(text)) : null
      const roster = objectOf(answer?.roster)
      if (roster) heard(peopleOf(roster))
      // Other answers of the same addresses contain no roster.
      else if (text.includes('"roster":{') || text.includes('"roster":[')) unread()
    } catch {
      unread()
    }
  }
  listenToFetch(MAY_HOLD_ROSTER, read, /json/i)
}
