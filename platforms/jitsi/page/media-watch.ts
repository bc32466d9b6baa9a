/** Whether the media of the meeting still flow: the page itself shows nothing when only their way is lost. */

const UP: ReadonlySet<RTCIceConnectionState> = new Set(['connected', 'completed'])
/** A session is replaced by another one now and then, and the first one after a person joined takes its time. */
const REPLACED_WITHIN_MS = 4000

export interface MediaWatch {
  /** To be called often. A connection was up, and for seconds there has been none although others are there. */
  isLost(others: number): boolean
}

export function createMediaWatch(
  connections: () => readonly Pick<RTCPeerConnection, 'iceConnectionState'>[],
  now: () => number = Date.now,
): MediaWatch {
  let wasUp = false
  let downSince: number | null = null
  return {
    isLost(others) {
      const isUp = connections().some(({ iceConnectionState }) => UP.has(iceConnectionState))
      wasUp ||= isUp
      // Who is alone has no connection, and nothing to lose.
      if (isUp || !wasUp || others === 0) {
        downSince = null
        return false
      }
      downSince ??= now()
      return now() - downSince >= REPLACED_WITHIN_MS
    },
  }
}
