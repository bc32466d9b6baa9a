/** Raised hands and reactions, from the page's own state. */
import type { Hands } from '../../shared/page/people/hands.ts'
import type { PageEvent } from '../../shared/page/types.ts'
import { readReactions, type StoreView } from './store.ts'

/** Returns the function that reads them once. */
export function createReactionReader(
  hands: Hands,
  emit: (event: PageEvent) => void,
): (store: StoreView | null, at: number) => void {
  /** Ids of the reactions that were emitted. */
  const emitted = new Set<string>()
  return (store, at) => {
    for (const person of store?.people ?? []) hands.set(person, person.isHandRaised, at)
    for (const { id, senderId: participantId, senderName: name, emojis, at: sentAt } of readReactions()) {
      if (emitted.has(id)) continue
      emitted.add(id)
      for (const emoji of emojis) emit({ type: 'reaction', participantId, name, emoji, at: Math.min(sentAt, at) })
    }
  }
}
