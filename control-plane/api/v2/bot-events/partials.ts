/** Words that may still change, in the stream of a follower that wants them. They have no cursor: none is sent again. */
import type { ReadEvent } from '../../../store/bots/bot-events.ts'
import type { PartialFeed } from '../../../store/partial-words.ts'
import type { EventStream } from '../../http/event-stream.ts'

/** A reader that has not taken so much gets no partial words. */
const MAX_WAITING_BYTES = 64 * 1024
/** Final words that are remembered: partial ones that come after them are old. */
const MAX_FINALS = 500

export function passPartials(feed: PartialFeed, botId: string, stream: EventStream) {
  let finals: string[] = []
  const nameOf = (attempt: number, id: unknown) => `${attempt} ${id}`
  const close = feed.follow(botId, ({ attempt, at, transcript: { type, ...data } }) => {
    if (stream.waiting > MAX_WAITING_BYTES || finals.includes(nameOf(attempt, data.id))) return
    stream.send(`event: partial\ndata: ${JSON.stringify({ at, attempt, type, data })}\n\n`)
  })
  return {
    close,
    /** Before these events are sent. */
    note(events: readonly ReadEvent[]): void {
      const transcripts = events.filter(({ type }) => type === 'transcript')
      const fresh = transcripts.map(({ attempt, event }) => nameOf(attempt, (event as { id?: unknown }).id))
      if (fresh.length > 0) finals = [...finals, ...fresh].slice(-MAX_FINALS)
    },
  }
}
