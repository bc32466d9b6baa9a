/** Raised hands and reactions, from the marks of the tiles and from the page's notices. */

import { plain, textWithout } from '../../shared/page/dom/visible-text.ts'
import type { Wording } from '../../shared/page/dom/wording.ts'
import type { Hands } from '../../shared/page/people/hands.ts'
import { signalNotes } from '../../shared/page/signals.ts'
import type { PageEvent } from '../../shared/page/types.ts'
import type { Elements } from './elements.ts'
import type { Roster } from './roster.ts'
import type { SeenTile } from './tiles.ts'
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

/**
 * Reads the page's short notices about people: a reaction, a raised hand
 * (docs/platform-notes/google-meet.md#people-panel-and-notices).
 */
const signals = signalNotes<'meet'>()

type Toast = { kind: 'reaction'; name: string; emoji: string } | { kind: 'hand'; name: string }

const MAX_EMOJI = 40
const EMOJI = /\p{Extended_Pictographic}|\p{Regional_Indicator}/u

/** Each notice is reported once, however long it is shown. */
function createToastReader({ selectors }: PageConfig, { read }: Pick<Wording, 'read'>): () => Toast[] {
  const seen = new WeakMap<Element, string>()
  const without = `${selectors.icon ?? 'i'}, button`
  const regions = selectors.notices ?? ':not(*)'
  const apart = `${selectors.sidePanel}, ${selectors.tile}, ${selectors.captionsRegion}`
  return () =>
    [...document.querySelectorAll(regions)]
      .filter((region) => region.closest(apart) === null && region.querySelector(regions) === null)
      .flatMap((region) => [...region.children])
      .flatMap((element): Toast[] => {
        const text = plain(textWithout(element, without))
        if (seen.get(element) === text) return []
        seen.set(element, text)
        const raiser = read('handToast', text)
        if (raiser) {
          signals.note('raised_hand.notice', true)
          return [{ kind: 'hand', name: raiser }]
        }
        const name = read('reactionToastName', text)
        const emoji = read('reactionToastEmoji', text)
        if (!name || !emoji || emoji.length > MAX_EMOJI || !EMOJI.test(emoji)) return []
        const hasBoth = element.parentElement?.matches('[role][aria-live]')
        signals.note(hasBoth ? 'reaction.notice' : 'reaction.other_notice', true)
        return [{ kind: 'reaction', name, emoji }]
      })
}
