/** Bytes of the WebRTC transports of a page. */
import type { WebRtcTap } from './audio/webrtc-tap.ts'

/** Bytes since the document began. */
export interface PageTraffic {
  received: number
  sent: number
}

/** Counts a connection that closes as of its last reading. */
export function countWebRtc(tap: Pick<WebRtcTap, 'connections'> | null): () => Promise<PageTraffic> {
  const counted = new Map<RTCPeerConnection, PageTraffic>()
  const closed = { received: 0, sent: 0 }
  return async () => {
    const open = tap?.connections() ?? []
    const now = await Promise.all(open.map(transportsOf))
    for (const [index, connection] of open.entries()) {
      const read = now[index]
      if (read) counted.set(connection, read)
    }
    const sum = { received: 0, sent: 0 }
    for (const [connection, bytes] of counted) {
      add(sum, bytes)
      if (connection.signalingState !== 'closed') continue
      add(closed, bytes)
      add(sum, { received: -bytes.received, sent: -bytes.sent })
      counted.delete(connection)
    }
    add(sum, closed)
    return sum
  }
}

/** Null if the browser does not say. */
async function transportsOf(connection: RTCPeerConnection): Promise<PageTraffic | null> {
  try {
    const sum = { received: 0, sent: 0 }
    for (const { type, bytesReceived, bytesSent } of (await connection.getStats()).values())
      if (type === 'transport') add(sum, { received: bytesReceived ?? 0, sent: bytesSent ?? 0 })
    return sum
  } catch {
    return null
  }
}

function add(sum: PageTraffic, { received, sent }: PageTraffic): void {
  sum.received += received
  sum.sent += sent
}
