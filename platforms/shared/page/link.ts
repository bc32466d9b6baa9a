/** The page's side of the link to the driver: events that wait for the driver, and the listener for its calls. */
import type { Acknowledgement, Delivery, NumberedPageEvent, PageEvent } from './types.ts'

/** At most so many events wait for a driver that does not ask; then the oldest chat message is dropped and counted. */
const MAX_EVENTS = 5000

export type EventQueue = ReturnType<typeof createEventQueue>

/** `onTold` is called for every event when it is really sent. */
export function createEventQueue(onReported: (event: PageEvent) => void = () => {}) {
  // An acknowledgement names its document, since the clock may be set back between two.
  const document = Date.now() + Math.random()
  let lastNumber = 0
  let hasBegun = false
  const held: PageEvent[] = []
  const events: NumberedPageEvent[] = []
  let dropped = 0
  /** A flood of chat must not displace events about people who left. */
  const bound = <Waiting>(waiting: Waiting[], eventOf: (one: Waiting) => PageEvent) => {
    if (waiting.length <= MAX_EVENTS) return
    const chat = waiting.findIndex((one) => eventOf(one).type === 'chat_message')
    waiting.splice(Math.max(0, chat), 1)
    dropped += 1
  }
  const emit = (event: PageEvent) => {
    if (!hasBegun) {
      held.push(event)
      bound(held, (one) => one)
      return
    }
    events.push({ number: ++lastNumber, event })
    bound(events, (one) => one.event)
    onReported(event)
  }
  return {
    emit,
    /** Counts messages of the page that were gone before they could be read. */
    miss(count: number): void {
      dropped += count
    },
    /** False when it had begun before. Events until now wait until the caller has reported who is there. */
    begin(): boolean {
      const isFirst = !hasBegun
      hasBegun = true
      return isFirst
    },
    /** Sends the held events: those between the true admission and the driver's certainty of it. */
    release(): void {
      for (const event of held.splice(0)) emit(event)
    },
    get hasBegun() {
      return hasBegun
    },
    /** Forgets the acknowledged events and returns the rest. */
    deliver(acknowledged: Acknowledgement | null): Delivery {
      const known = acknowledged?.document === document ? acknowledged.number : 0
      while (events[0] && events[0].number <= known) events.shift()
      return { events: [...events], document, hasBegun, dropped }
    },
  }
}

/**
 * Answers the driver's calls. It adds no name to the page: the driver sends an event whose name only it knows, and gets
 * the answer in the event's own object.
 */
export function answerDriver(channel: string, api: object): void {
  const methods = api as Record<string, (...given: unknown[]) => unknown>
  document.addEventListener(channel, (event) => {
    event.stopImmediatePropagation()
    const call = (event as CustomEvent<{ method: string; given: unknown[]; answer: unknown }>).detail
    call.answer = methods[call.method]?.(...call.given)
  })
}
