/** Live updates: the server sends the ids of changed bots, and pages reload them. */
import { signal } from '@preact/signals'
import { ROOT } from './place.ts'

export const isConnected = signal(false)
/** Increases with each change and each new connection, so that a page misses no change during an outage. */
export const changes = signal<{ count: number; bots: ReadonlySet<string> | 'all' }>({ count: 0, bots: 'all' })

const RETRY_MS = 3000
let source: EventSource | null = null

const emit = (bots: ReadonlySet<string> | 'all') => {
  changes.value = { count: changes.value.count + 1, bots }
}

export function openFeed(): void {
  if (source !== null) return
  source = new EventSource(`${ROOT}/dashboard/api/feed`)
  source.addEventListener('ready', () => {
    isConnected.value = true
    emit('all')
  })
  source.addEventListener('bots', ({ data }) => {
    emit(new Set((JSON.parse(data) as { id: string }[]).map(({ id }) => id)))
  })
  source.onerror = () => {
    isConnected.value = false
    // A browser stops after an error response, such as that of a proxy while the service restarts.
    if (source?.readyState !== EventSource.CLOSED) return
    source = null
    setTimeout(openFeed, RETRY_MS)
  }
}

export function closeFeed(): void {
  source?.close()
  source = null
  isConnected.value = false
}
