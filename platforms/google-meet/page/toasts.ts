/**
 * Reads the page's short notices about people: a reaction, a raised hand
 * (docs/platform-notes/google-meet.md#people-panel-and-notices).
 */
import { plain, textWithout } from '../../shared/page/dom/visible-text.ts'
import type { Wording } from '../../shared/page/dom/wording.ts'
import { signalNotes } from '../../shared/page/signals.ts'
import type { PageConfig } from './types.ts'

const signals = signalNotes<'meet'>()

export type Toast = { kind: 'reaction'; name: string; emoji: string } | { kind: 'hand'; name: string }

const MAX_EMOJI = 40
const EMOJI = /\p{Extended_Pictographic}|\p{Regional_Indicator}/u

/** Each notice is reported once, however long it is shown. */
export function createToastReader({ selectors }: PageConfig, { read }: Pick<Wording, 'read'>): () => Toast[] {
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
