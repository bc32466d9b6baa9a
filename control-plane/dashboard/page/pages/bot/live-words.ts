/** The words of a meeting as they come: final ones, and behind them those that may still change. */

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { BotEvent } from '../../api.ts'
import { ROOT } from '../../place.ts'

/** Partial words whose final ones never came, because the bot crashed, are removed. */
const MAX_PARTIAL_AGE_MS = 15_000
const SWEEP_EVERY_MS = 5_000
const RETRY_MS = 3_000

interface Words {
  finals: readonly BotEvent[]
  partials: readonly BotEvent[]
}

/** Follows the bot while the page is visible: a browser has few connections for all pages of the service. */
export function useWords(botId: string) {
  const words = useSignal<Words>({ finals: [], partials: [] })
  useEffect(() => {
    const finals: BotEvent[] = []
    const partials = new Map<string, { event: BotEvent; at: number }>()
    let source: EventSource | null = null
    let timer: ReturnType<typeof setTimeout> | undefined
    let lastId = ''
    let hasEnded = false
    const show = () => {
      words.value = { finals: [...finals], partials: [...partials.values()].map(({ event }) => event) }
    }
    const idOf = ({ attempt, data }: BotEvent) => `${attempt} ${data.id}`
    const close = () => {
      clearTimeout(timer)
      source?.close()
      source = null
    }
    const open = () => {
      const query = new URLSearchParams({ types: 'transcript', partials: 'true', ...(lastId && { cursor: lastId }) })
      source = new EventSource(`${ROOT}/v2/bots/${botId}/events/stream?${query}`)
      source.onmessage = ({ data, lastEventId }) => {
        const event = JSON.parse(data) as BotEvent
        lastId = lastEventId
        partials.delete(idOf(event))
        finals.push(event)
        show()
      }
      source.addEventListener('partial', ({ data }) => {
        const event = JSON.parse(data) as BotEvent
        if (event.data.text === '') partials.delete(idOf(event))
        else partials.set(idOf(event), { event, at: performance.now() })
        show()
      })
      source.addEventListener('end', () => {
        hasEnded = true
        partials.clear()
        show()
        close()
      })
      source.onerror = () => {
        // A browser stops after an error response, also after that of a bot that has ended.
        if (source?.readyState !== EventSource.CLOSED) return
        close()
        timer = setTimeout(open, RETRY_MS)
      }
    }
    const onVisible = () => {
      close()
      if (!document.hidden && !hasEnded) open()
    }
    const sweeping = setInterval(() => {
      const old = [...partials].filter(([, { at }]) => performance.now() - at > MAX_PARTIAL_AGE_MS)
      for (const [id] of old) partials.delete(id)
      if (old.length > 0) show()
    }, SWEEP_EVERY_MS)
    document.addEventListener('visibilitychange', onVisible)
    show()
    onVisible()
    return () => {
      document.removeEventListener('visibilitychange', onVisible)
      clearInterval(sweeping)
      close()
    }
  }, [botId])
  return words
}

const MAX_CAPTIONS = 2
/** A caption stays as long as people need to read it. */
const CAPTION_MS = 8_000

/** The newest lines, as captions in the picture. */
export function captionsOf({ finals, partials }: Words, now = Date.now()): readonly BotEvent[] {
  const recent = finals.slice(-MAX_CAPTIONS).filter(({ at }) => now - Date.parse(at) < CAPTION_MS)
  return [...recent, ...partials].slice(-MAX_CAPTIONS)
}

export const speakerOf = ({ data }: BotEvent, unknown: string): string =>
  String((data.speaker as { name?: unknown } | null)?.name ?? unknown)
