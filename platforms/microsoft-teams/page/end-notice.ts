import type { EndNotice } from './types.ts'

/** The end of the call that the signalling reported; a request that the waiting room drops ends a call as well. */
export function createEndNotice() {
  let notice: EndNotice | null = null
  let hadToolbar = false
  return {
    take(reported: EndNotice): void {
      notice = reported
    },
    /** To be called at each poll. A toolbar that appears is that of a later call, or of one that goes on. */
    read(hasToolbar: boolean): EndNotice | null {
      if (hasToolbar && !hadToolbar) notice = null
      hadToolbar = hasToolbar
      return notice
    },
  }
}
