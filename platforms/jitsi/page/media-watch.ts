/**
 * Detects whether the media of the meeting still arrive: the page itself shows no sign when only the media connection
 * is lost.
 */
import { pageNow } from '../../shared/page/page-clock.ts'

const UP: ReadonlySet<RTCIceConnectionState> = new Set(['connected', 'completed'])
/** A session is replaced by another one now and then, and the first one after a person joined takes its time. */
const REPLACED_WITHIN_MS = 4000

export function createMediaWatch(
  connections: () => readonly Pick<RTCPeerConnection, 'iceConnectionState'>[],
  now: () => number = pageNow,
) {
  let wasUp = false
  let downSince: number | null = null
  return {
    /**
     * To be called often. True when a connection was up, and for seconds there has been none although other people are
     * there.
     */
    isLost(others: number): boolean {
      const isUp = connections().some(({ iceConnectionState }) => UP.has(iceConnectionState))
      wasUp ||= isUp
      // A bot that is alone has no connection to lose.
      if (isUp || !wasUp || others === 0) {
        downSince = null
        return false
      }
      downSince ??= now()
      return now() - downSince >= REPLACED_WITHIN_MS
    },
  }
}
