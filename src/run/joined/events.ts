/** The journals of all parts as one: numbered again, with times and people of the whole recording. */
import type { Gap, NumberedEvent } from '@standin/wire/events.ts'
import { milliseconds } from '@standin/wire/time/written-time.ts'
import type { PartFacts } from './part.ts'

/** Fields that are seconds of the part's recording. */
const PLACES = new Set(['offset', 'start', 'end'])
/** Fields that are numbers of people. */
const NUMBERS = new Set(['sender_id', 'user_id'])
/** Fields that are ids of chat messages. */
const MESSAGES = new Set(['message_id', 'reply_to'])

export interface JoinedEvents {
  botId: string
  parts: readonly PartFacts[]
  /** Gaps before each part; null if there is none. */
  gapsBefore: readonly (Gap | null)[]
  numberOf(part: number, id: number | null): number | null
  messageIdOf(part: number, id: string): string
}

/** From what a part says to what the whole says. */
interface Moves {
  /** Seconds. */
  base: number
  numberOf(id: number | null): number | null
  messageIdOf(id: string): string
}

export function joinEvents({ botId, parts, gapsBefore, numberOf, messageIdOf }: JoinedEvents): NumberedEvent[] {
  const joined: Omit<NumberedEvent, 'seq'>[] = []
  let base = 0
  for (const [place, part] of parts.entries()) {
    const gap = gapsBefore[place] ?? null
    if (gap !== null)
      joined.push({ type: 'event', bot_id: botId, at: gap.ended_at, event: { type: 'recording_gap', ...gap } })
    const moves: Moves = {
      base,
      numberOf: (id) => numberOf(place, id),
      messageIdOf: (id) => messageIdOf(place, id),
    }
    // The last report is about its own part only; manifest.json is about the whole.
    for (const { event, ...rest } of part.events)
      joined.push({ ...rest, event: event.type === 'final_report' ? event : (moved(event, moves) as typeof event) })
    base += part.seconds
  }
  return joined.map((event, place) => ({ ...event, seq: place + 1 }))
}

/** A copy in which places are `base` seconds later, and people and messages have the ids of the whole. */
function moved(value: unknown, moves: Moves): unknown {
  const { base, numberOf, messageIdOf } = moves
  if (Array.isArray(value)) return value.map((each) => moved(each, moves))
  if (typeof value !== 'object' || value === null) return value
  const isPerson = 'platform_id' in value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      if (PLACES.has(name) && typeof inner === 'number') return [name, milliseconds(inner + base)]
      if (NUMBERS.has(name) && typeof inner === 'number') return [name, numberOf(inner)]
      if (name === 'id' && isPerson && typeof inner === 'number') return [name, numberOf(inner) ?? inner]
      if (name === 'user_ids' && Array.isArray(inner)) return [name, inner.flatMap((id) => numberOf(id) ?? [])]
      if (MESSAGES.has(name) && typeof inner === 'string') return [name, messageIdOf(inner)]
      return [name, moved(inner, moves)]
    }),
  )
}
