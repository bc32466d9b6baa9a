/** People who came before the bot are named in one answer over HTTP only (field notes 5.4). */
import { wrapMethod } from '../../shared/page/native-look.ts'
import { objectOf, parsed } from './json.ts'
import { type PersonRecord, peopleOf } from './signalling.ts'

const MAY_HOLD_ROSTER = /conv|roster/i
const LONGEST = 4_000_000

/** The page's own use of the answers is not touched. */
export function listenToRosterCalls(heard: (people: PersonRecord[]) => void): void {
  wrapMethod(globalThis, 'fetch', (native, _self, given) => {
    const answer = native(...given) as Promise<Response>
    const [request] = given
    if (MAY_HOLD_ROSTER.test(request instanceof Request ? request.url : String(request))) {
      answer
        .then((response) => (isJson(response) ? response.clone().text() : ''))
        .then((text) => {
          const roster = text.length <= LONGEST ? objectOf(objectOf(parsed(text))?.roster) : null
          if (roster) heard(peopleOf(roster))
        })
        .catch(() => {
          // The page hears of a failed call itself.
        })
    }
    return answer
  })
}

function isJson(response: Response): boolean {
  return response.ok && /json/i.test(response.headers.get('content-type') ?? '')
}
