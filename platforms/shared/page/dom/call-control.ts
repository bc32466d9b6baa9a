/** When the call's own control, such as its Leave button, went from the page: the end of a call is seen by that first. */

const CHECK_EVERY_MS = 100

export interface CallControl {
  /** The bot is in the call. */
  begin(): void
  /**
   * UTC milliseconds since when the control is not there, or since when there is this document, if it never was in a call;
   * null while it is there.
   */
  goneAt(): number | null
}

/**
 * `find` may be slow: it is asked only when the element that it gave last is out of the page. `isOver` is for a page whose
 * control outlives the call.
 */
export function watchCallControl(find: () => Element | null, isOver = () => false): CallControl {
  const documentAt = Math.round(performance.timeOrigin)
  let isBegun = false
  let control: Element | null = null
  let goneAt: number | null = null

  function check(): void {
    if (control?.isConnected !== true) control = find()
    goneAt = control === null || isOver() ? (goneAt ?? Date.now()) : null
  }

  return {
    begin() {
      if (isBegun) return
      isBegun = true
      check()
      setInterval(check, CHECK_EVERY_MS)
    },
    goneAt() {
      if (!isBegun) return documentAt
      check()
      return goneAt
    },
  }
}
