/** Pictures, speakers and captions of bots in meetings, polled while the page is visible. */
import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { ask, type LiveView } from '../api.ts'

const LOOK_EVERY_MS = 3000
/** The service asks a bot at most every 30 s, however many pages ask for it. */
const ASK_EVERY_MS = 5000

export type LiveViews = ReadonlyMap<string, LiveView>

/** By bot. Nothing is read and no picture is asked for while the page is in the background. */
export function useLiveViews(): Signal<LiveViews> {
  const views = useSignal<LiveViews>(new Map())
  useEffect(() => {
    let isOver = false
    let askedAt = -ASK_EVERY_MS
    let timer: ReturnType<typeof setTimeout> | undefined
    let isLooking = false
    const look = async () => {
      if (document.hidden || isLooking) return
      isLooking = true
      try {
        if (performance.now() - askedAt >= ASK_EVERY_MS) {
          askedAt = performance.now()
          await ask('POST', '/live/pictures')
        }
        const list = await ask<LiveView[]>('GET', '/live')
        if (!isOver) views.value = new Map(list.map((view) => [view.bot_id, keptAddress(view, views.peek())]))
      } catch {
        // The next poll tries again. Another part of the page shows that the service cannot be reached.
      }
      isLooking = false
      if (!isOver) timer = setTimeout(look, LOOK_EVERY_MS)
    }
    const onVisible = () => {
      clearTimeout(timer)
      void look()
    }
    document.addEventListener('visibilitychange', onVisible)
    void look()
    return () => {
      isOver = true
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', onVisible)
    }
  }, [])
  return views
}

/** Each response has newly signed links. A picture that is the same keeps its address, so that it is loaded once. */
function keptAddress(view: LiveView, known: LiveViews): LiveView {
  const before = known.get(view.bot_id)?.picture
  if (view.picture === null || before?.taken_at !== view.picture.taken_at) return view
  return { ...view, picture: { ...view.picture, url: before.url } }
}
