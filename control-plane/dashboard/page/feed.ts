/** Live updates: the server sends the ids of changed bots, and pages reload them. */
import { signal } from '@preact/signals'
import { createFeedStream, FEED_CHANNEL, type FeedMessage } from './feed-stream.ts'
import { ROOT } from './place.ts'

export const isConnected = signal(false)
/** Increases with each change and each new connection, so that a page misses no change during an outage. */
export const changes = signal<{ count: number; bots: ReadonlySet<string> | 'all' }>({ count: 0, bots: 'all' })

const RETRY_MS = 3000
let isWanted = false
let join: (() => void) | undefined

export function openFeed(): void {
  isWanted = true
  join ??= connect()
  join()
}

export function closeFeed(): void {
  isWanted = false
  isConnected.value = false
}

function connect(): () => void {
  // Chrome for Android has none.
  if (!('SharedWorker' in globalThis)) {
    const open = createFeedStream(`${ROOT}/dashboard/api/feed`, onMessage)
    return () => open(onMessage)
  }
  const { port } = new SharedWorker(`${ROOT}/dashboard/feed.js`)
  port.onmessage = ({ data }) => onMessage(data)
  new BroadcastChannel(FEED_CHANNEL).onmessage = ({ data }) => onMessage(data)
  return () => port.postMessage('open')
}

function onMessage(message: FeedMessage): void {
  if (!isWanted) return
  isConnected.value = message.kind !== 'lost'
  if (message.kind === 'lost') {
    if (message.isOver) setTimeout(() => isWanted && openFeed(), RETRY_MS)
    return
  }
  const bots = message.kind === 'ready' ? 'all' : new Set(message.ids)
  changes.value = { count: changes.value.count + 1, bots }
}
