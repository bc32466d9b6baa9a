/** The stream of changed bots. One is enough for all tabs: a browser opens six connections to a service without https. */

export type FeedMessage = { kind: 'ready' } | { kind: 'bots'; ids: string[] } | { kind: 'lost'; isOver: boolean }

/** The worker's messages for all tabs. */
export const FEED_CHANNEL = 'standin-feed'

/**
 * The result opens the stream at the address, which calls `send` from then on. If it is open already, `answer` is called at once. `lost` with
 * `isOver` says that the browser does not connect again by itself, as after a refusal.
 */
export function createFeedStream(
  address: string | URL,
  send: (message: FeedMessage) => void,
): (answer: (message: FeedMessage) => void) => void {
  let source: EventSource | null = null
  return (answer) => {
    if (source?.readyState === EventSource.OPEN) answer({ kind: 'ready' })
    if (source !== null) return
    source = new EventSource(address)
    source.addEventListener('ready', () => send({ kind: 'ready' }))
    source.addEventListener('bots', ({ data }) => {
      send({ kind: 'bots', ids: (JSON.parse(data) as { id: string }[]).map(({ id }) => id) })
    })
    source.onerror = () => {
      const isOver = source?.readyState === EventSource.CLOSED
      if (isOver) source = null
      send({ kind: 'lost', isOver })
    }
  }
}
