/** Reads the people of the call from the client's call object and the page, and reports who came, left and shares. */
import type { Wording } from '../../shared/page/dom/wording.ts'
import { createRosterReporter } from '../../shared/page/people/roster-reporter.ts'
import type { PageEvent } from '../../shared/page/types.ts'
import { readCall } from './call-object.ts'
import { isOwnName, nameOf } from './names.ts'
import { type PageView, People } from './people.ts'
import { ownerOf, readRows, type SeenTile } from './tiles.ts'
import type { PageConfig } from './types.ts'

export interface RosterParts {
  config: PageConfig
  wording: Wording
  /** Number of people in the call, with the bot; null if the page does not show it. `atMost`: there are no more. */
  peopleCount(): Pick<PageView, 'count' | 'atMost'>
  emit(event: PageEvent): void
}

export function createRosterReader({ config, wording, peopleCount, emit }: RosterParts) {
  const people = new People({
    nameOf: (shown) => nameOf(shown, wording.says),
    isOwn: (name) => isOwnName(name, config.botName, wording.says),
  })
  const reporter = createRosterReporter(config.botName, emit)
  let callId: string | null = null

  return {
    people,
    /** Starts to report. Returns at once: people are reported by the next read. */
    begin: reporter.begin,
    read(tiles: readonly SeenTile[], at: number): void {
      const call = readCall()
      callId = call?.callId ?? callId
      people.takeCall(call)
      const others = tiles.filter(({ isSelf }) => !isSelf)
      const view = {
        tiles: others.filter(({ isScreen }) => !isScreen).map(({ name }) => name),
        rows: readRows(config, wording),
        hasOwnMark: tiles.some(({ isMarked }) => isMarked),
        ...peopleCount(),
      }
      people.takePage(view, at)
      const shown = others.filter(({ isScreen }) => isScreen).flatMap((tile) => ownerOf(tile, people) ?? [])
      const sharing = [...people.sharing(), ...shown]
      reporter.update({ people: people.present(), selfIsKnown: people.selfIsKnown, sharing }, at)
    },
    /** The bot's call; null while it is not known. */
    callId: (): string | null => callId,
  }
}
