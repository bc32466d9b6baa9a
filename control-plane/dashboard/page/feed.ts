/** Live changes: the server names the bots that changed, and pages read them again. */
import { signal } from '@preact/signals'

export const isConnected = signal(false)
/** Counts up with each change, and after each connection, so that no change during an outage is missed. */
export const changes = signal<{ count: number; bots: ReadonlySet<string> | 'all' }>({ count: 0, bots: 'all' })

const RETRY_MS = 3000
let source: EventSource | null = null

const emitChange = (bots: ReadonlySet<string> | 'all') => {
  changes.value = { count: changes.value.count + 1, bots }
}

export function openFeed(): void {
  if (source !== null) return
  source = new EventSource('/dashboard/api/feed')
  source.addEventListener('ready', () => {
    isConnected.value = true
    emitChange('all')
  })
  source.addEventListener('bots', ({ data }) => {
    emitChange(new Set((JSON.parse(data) as { id: string }[]).map(({ id }) => id)))
  })
  source.onerror = () => {
    isConnected.value = false
    // A browser gives up after an error answer, such as that of a proxy while the service restarts.
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
