/** Polls screenshots, speakers and captions of bots in meetings while the page is visible. */
import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type Answers, dashboard, dataOf } from '../api.ts'

const POLL_INTERVAL_MS = 3000
/** The service requests a screenshot of a bot at most every 30 s, however many pages request one. */
const REQUEST_INTERVAL_MS = 5000

type LiveView = Answers['LiveView']
export type LiveViews = ReadonlyMap<string, LiveView>

/** Keeps a live view for each bot id. Reads and requests nothing while the page is in the background. */
export function useLiveViews(): Signal<LiveViews> {
  const views = useSignal<LiveViews>(new Map())
  useEffect(() => {
    let isOver = false
    let requestedAt = -REQUEST_INTERVAL_MS
    let timer: ReturnType<typeof setTimeout> | undefined
    let isPolling = false
    const poll = async () => {
      if (document.hidden || isPolling) return
      isPolling = true
      try {
        if (performance.now() - requestedAt >= REQUEST_INTERVAL_MS) {
          requestedAt = performance.now()
          await dataOf(dashboard.POST('/live/pictures'))
        }
        const list = await dataOf(dashboard.GET('/live'))
        if (!isOver) views.value = new Map(list.map((view) => [view.bot_id, keptAddress(view, views.peek())]))
      } catch {
        // The next poll tries again. Another part of the page shows that the service cannot be reached.
      }
      isPolling = false
      if (!isOver) timer = setTimeout(poll, POLL_INTERVAL_MS)
    }
    const onVisible = () => {
      clearTimeout(timer)
      void poll()
    }
    document.addEventListener('visibilitychange', onVisible)
    void poll()
    return () => {
      isOver = true
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', onVisible)
    }
  }, [])
  return views
}

/** Each response has new signed links. The same screenshot keeps its URL, so that the browser loads it once. */
function keptAddress(view: LiveView, known: LiveViews): LiveView {
  const before = known.get(view.bot_id)?.picture
  if (view.picture === null || before?.taken_at !== view.picture.taken_at) return view
  return { ...view, picture: { ...view.picture, url: before.url } }
}
