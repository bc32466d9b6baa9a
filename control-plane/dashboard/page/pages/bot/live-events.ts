/** Events of a bot, of some types, and new ones while it runs. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { answerOf, type BotEvent, v2 } from '../../api.ts'

const LOOK_EVERY_MS = 2000

/** Keeps polling while `isLive`, else reads all events once. */
export function useEvents(botId: string, types: string, isLive: boolean) {
  const events = useSignal<BotEvent[]>([])
  useEffect(() => {
    let isOver = false
    let cursor: string | null = null
    let timer: ReturnType<typeof setTimeout> | undefined
    events.value = []
    const look = async () => {
      try {
        for (;;) {
          const query = { types, limit: 500, ...(cursor !== null && { cursor }) }
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
      if (isLive && !isOver) timer = setTimeout(look, LOOK_EVERY_MS)
    }
    void look()
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [botId, types, isLive])
  return events
}
