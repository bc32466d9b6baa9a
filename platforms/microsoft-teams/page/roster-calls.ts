/**
 * People who came before the bot are named in one answer over HTTP only
 * (docs/platform-notes/microsoft-teams.md#roster-messages).
 */
import { wrapMethod } from '../../shared/page/dom/patch-native.ts'
import { objectOf, parsed } from './json.ts'
import { type PersonRecord, peopleOf } from './signalling.ts'

const MAY_HOLD_ROSTER = /conv|roster/i
const LONGEST = 4_000_000

/**
 * The page's own use of the answers is not touched. Calls `unread` for answers that should hold a roster and do not.
 */
export function listenToRosterCalls(heard: (people: PersonRecord[]) => void, unread: () => void): void {
  wrapMethod(globalThis, 'fetch', (native, _self, given) => {
    const answer = native(...given) as Promise<Response>
    const [request] = given
    if (MAY_HOLD_ROSTER.test(request instanceof Request ? request.url : String(request))) {
      answer
        .then((response) => (isJson(response) ? response.clone().text() : ''))
        .then(
          (text) => {
            if (text === '') return
            try {
              const answer = text.length <= LONGEST ? objectOf(parsed(text)) : null
              const roster = objectOf(answer?.roster)
              if (roster) heard(peopleOf(roster))
              // Other answers of the same addresses contain no roster.
              else if (text.includes('"roster":{') || text.includes('"roster":[')) unread()
            } catch {
              unread()
            }
          },
          () => {
            // The page handles a failed call itself.
          },
        )
    }
    return answer
  })
}

function isJson(response: Response): boolean {
  return response.ok && /json/i.test(response.headers.get('content-type') ?? '')
}
