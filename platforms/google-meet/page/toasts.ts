/**
 * Reads the page's short notices about people: a reaction, a raised hand
 * (docs/platform-notes/google-meet.md#people-panel-and-notices).
 */
import { plain, textWithout } from '../../shared/page/dom/visible-text.ts'
import type { Wording } from '../../shared/page/dom/wording.ts'
import type { PageConfig } from './types.ts'

export type Toast = { kind: 'reaction'; name: string; emoji: string } | { kind: 'hand'; name: string }

const MAX_EMOJI = 40
const EMOJI = /\p{Extended_Pictographic}|\p{Regional_Indicator}/u

/** Each notice is reported once, however long it is shown. */
export function createToastReader({ selectors }: PageConfig, { read }: Pick<Wording, 'read'>): () => Toast[] {
  const seen = new WeakMap<Element, string>()
  const without = `${selectors.icon ?? 'i'}, button`
  return () =>
    [...document.querySelectorAll(selectors.toasts ?? ':not(*)')]
      .flatMap((region) => [...region.children])
      .flatMap((element): Toast[] => {
        const text = plain(textWithout(element, without))
        if (seen.get(element) === text) return []
        seen.set(element, text)
        const raiser = read('handToast', text)
        if (raiser) return [{ kind: 'hand', name: raiser }]
        const name = read('reactionToastName', text)
        const emoji = read('reactionToastEmoji', text)
        if (!name || !emoji || emoji.length > MAX_EMOJI || !EMOJI.test(emoji)) return []
        return [{ kind: 'reaction', name, emoji }]
      })
}
