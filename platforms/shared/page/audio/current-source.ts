/** Finds whose packets a receiver plays at this instant, where the packets of a shared stream name their sources. */
import { readSources } from './contributing-sources.ts'

/** A source without a new packet for so long is not being played now. Milliseconds. */
const STILL_MS = 100

interface Seen {
  /** By the browser's clock, which differs from ours. */
  newest: number
  movedAt: number
}

/**
 * Returns the one contributing source that the receiver plays just now; null if there is none, or several at once,
 * whose sounds cannot be separated. To be called with every captured piece.
 */
export function createCurrentSource(
  now: () => number = () => performance.now(),
): (receiver: Pick<RTCRtpReceiver, 'getContributingSources'>) => number | null {
  const seen = new WeakMap<object, Seen>()
  return (receiver) => {
    const entries = readSources(receiver)
    const newest = Math.max(...entries.map(({ timestamp }) => timestamp))
    if (entries.length === 0) return null
    const at = now()
    const before = seen.get(receiver)
    const movedAt = before?.newest === newest ? before.movedAt : at
    seen.set(receiver, { newest, movedAt })
    // The first poll proves no new packet: the entry may be ten seconds old.
    if (before === undefined || at - movedAt > STILL_MS) return null
    const current = entries.filter(({ timestamp }) => timestamp === newest)
    return current.length === 1 ? current[0]!.source : null
  }
}
