/**
 * Notes when the call's own control, such as its Leave button, disappears from the page: this is the first sign of the
 * end of a call.
 */
import { documentStart, pageNow } from '../page-clock.ts'

const CHECK_EVERY_MS = 100

/**
 * `find` may be slow: it is called only when the element of its last result is out of the page. `isOver` is for a page
 * whose control outlives the call.
 */
export function watchCallControl(find: () => Element | null, isOver = () => false) {
  let isBegun = false
  let control: Element | null = null
  let goneAt: number | null = null

  function check(): void {
    if (control?.isConnected !== true) control = find()
    goneAt = control === null || isOver() ? (goneAt ?? pageNow()) : null
  }

  return {
    /** The bot is in the call. */
    begin(): void {
      if (isBegun) return
      isBegun = true
      check()
      setInterval(check, CHECK_EVERY_MS)
    },
    /**
     * UTC milliseconds since when the control is missing, or since when this document exists, if it never was in a call;
     * null while the control is there.
     */
    goneAt(): number | null {
      if (!isBegun) return documentStart()
      check()
      return goneAt
    },
  }
}
