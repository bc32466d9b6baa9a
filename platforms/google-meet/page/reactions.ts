/** Raised hands and reactions, from the marks of the tiles and from the page's notices. */
import type { Hands } from '../../shared/page/people/hands.ts'
import type { PageEvent } from '../../shared/page/types.ts'
import type { Elements } from './elements.ts'
import type { Roster } from './roster.ts'
import type { SeenTile } from './tiles.ts'
import { createToastReader } from './toasts.ts'
import type { PageConfig } from './types.ts'

export interface ReactionParts {
  config: PageConfig
  elements: Elements
  roster: Roster
  hands: Hands
  emit(event: PageEvent): void
}

/** Returns the function that reads them once. */
export function createReactionReader({
  config,
  elements,
  roster,
  hands,
  emit,
}: ReactionParts): (tiles: readonly SeenTile[], at: number) => void {
  const readToasts = createToastReader(config, elements)
  return (tiles, at) => {
    for (const { id, name, isSelf, isScreen, hasHand } of tiles)
      if (!isSelf && !isScreen && !roster.isSelf(id)) hands.update({ id, name: roster.nameOf(id) ?? name }, hasHand, at)
    for (const toast of readToasts()) {
      const person = roster.named(toast.name)
      if (toast.kind === 'reaction') {
        const { name, emoji } = toast
        emit({ type: 'reaction', participantId: person?.id ?? null, name, emoji, at })
      } else if (person) hands.set(person, true, at)
    }
  }
}
