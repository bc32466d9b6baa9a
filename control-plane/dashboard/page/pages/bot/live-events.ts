/** The events of one type of a bot. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { answerOf, type BotEvent, v2 } from '../../api.ts'

const POLL_INTERVAL_MS = 2000

/** Keeps polling while `isLive`, else reads all events once. */
export function useEvents(botId: string, type: BotEvent['type'], isLive: boolean) {
  const events = useSignal<BotEvent[]>([])
  useEffect(() => {
    let isOver = false
    let cursor: string | null = null
    let timer: ReturnType<typeof setTimeout> | undefined
    events.value = []
    const poll = async () => {
      try {
        for (;;) {
          const query = { types: [type], limit: 500, ...(cursor !== null && { cursor }) }
          const page = await answerOf(
            v2.GET('/v2/bots/{bot_id}/events', { params: { path: { bot_id: botId }, query } }),
          )
          if (isOver) return
          cursor = page.cursor
          if (page.data.length === 0) break
          events.value = [...events.value, ...page.data]
        }
      } catch {
        // The next poll tries again. Another part of the page shows that the service cannot be reached.
      }
      if (isLive && !isOver) timer = setTimeout(poll, POLL_INTERVAL_MS)
    }
    void poll()
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [botId, type, isLive])
  return events
}
