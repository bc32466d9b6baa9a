/** The screen that a participant shares. Only the number of its stream names the participant. */
import type { PageEvent } from '../../shared/page/types.ts'
import type { Elements } from './elements.ts'
import type { Roster } from './roster.ts'
import { userOf } from './tiles.ts'

/** Label of a screen whose owner is not known. */
const UNKNOWN_OWNER = 'Shared screen'

interface SharedScreen {
  element: Element
  /** Null while the owner is not known. */
  sharerId: string | null
  name: string
}

/** After a share its container may stay, with an empty number; one without any number may be of a share. */
function isOver(view: Element): boolean {
  const numbered = view.closest('[node-id]') ?? view.querySelector('[node-id]')
  return numbered?.getAttribute('node-id') === ''
}

export function createScreenReader(
  { drawn, first }: Pick<Elements, 'drawn' | 'first'>,
  roster: Pick<Roster, 'isSelf' | 'present' | 'ofUser'>,
  emit: (event: PageEvent) => void,
) {
  let isReported = false
  return {
    /** Null without a shared screen, and for one of the bot itself. */
    read(): SharedScreen | null {
      const view = drawn('shareView')
      if (!view || isOver(view)) return null
      const player = first('player', view)
      const userId = player && userOf(player)
      if (roster.isSelf(userId)) return null
      const others = roster.present()
      const sharer = userId === null ? (others.length === 1 ? others[0]! : null) : roster.ofUser(userId)
      return { element: view, sharerId: sharer?.id ?? null, name: sharer?.name ?? UNKNOWN_OWNER }
    },
    /** Emits the start and the end of a screen whose owner is not known. The roster reporter emits those of the others. */
    reportUnknownOwner(screen: SharedScreen | null, at: number): void {
      const isSharing = screen !== null && screen.sharerId === null
      if (isSharing === isReported) return
      isReported = isSharing
      emit({ type: 'screen_share', participantId: null, isSharing, at })
    },
  }
}
