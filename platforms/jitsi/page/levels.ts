/** Reads each person's level: every audio receiver carries one person, and its packets have the level. */
import type { LevelSample } from '../../shared/page/audio/speech-detector.ts'
import type { TappedTrack } from '../../shared/page/audio/webrtc-tap.ts'
import { pageNow } from '../../shared/page/page-clock.ts'
import type { StoreView } from './store.ts'

/**
 * The browser keeps an entry long after its last packet; an older entry than this says nothing about the present.
 * Milliseconds.
 */
const FRESH_MS = 1000
/**
 * A stream's id begins with its sender's id, if the bridge does not rename it (docs/platform-notes/jitsi.md#sound).
 */
const OWNER_IN_STREAM = /^([0-9a-f]{6,16})-audio-/

interface Seen {
  stamp: string
  changedAt: number
}

/** Null while no receiver has levels: then the page's marks are the only source. */
export function createLevelReader(
  now: () => number = pageNow,
): (receivers: Iterable<RTCRtpReceiver>, ownerOf: (receiver: RTCRtpReceiver) => string | null) => LevelSample[] | null {
  const seen = new WeakMap<RTCRtpReceiver, Seen>()
  let wasHeard = false
  return (receivers, ownerOf) => {
    const at = now()
    const samples: LevelSample[] = []
    for (const receiver of receivers) {
      const entry = newestOf(receiver)
      if (entry?.audioLevel === undefined) continue
      wasHeard = true
      // Their clock differs from ours: an entry is as old as the time since its last change.
      const stamp = `${entry.source}/${entry.timestamp}/${entry.rtpTimestamp}`
      const earlier = seen.get(receiver)
      if (earlier?.stamp !== stamp) seen.set(receiver, { stamp, changedAt: at })
      const ageMs = earlier?.stamp === stamp ? at - earlier.changedAt : 0
      const owner = ownerOf(receiver)
      // A level without a known owner is assigned to no participant: unknown is better than wrong.
      if (owner !== null && ageMs <= FRESH_MS) samples.push({ participantIds: [owner], level: entry.audioLevel, ageMs })
    }
    return wasHeard ? samples : null
  }
}

export function ownerOfReceiver(
  receiver: RTCRtpReceiver,
  store: StoreView | null,
  tracks: readonly TappedTrack[],
): string | null {
  const known = store?.tracks.find(({ kind, track }) => kind === 'audio' && track === receiver.track)
  if (known) return known.ownerId
  // The state lists the owners of tracks; if it does not list this one, the receiver may be between two owners.
  if (store !== null && store.tracks.length > 0) return null
  const streams = tracks.find((tapped) => tapped.receiver === receiver)?.streams ?? []
  return streams.map(({ id }) => OWNER_IN_STREAM.exec(id)?.[1]).find((id) => id !== undefined) ?? null
}

function newestOf(receiver: RTCRtpReceiver): RTCRtpSynchronizationSource | null {
  try {
    return receiver.getSynchronizationSources()[0] ?? null
  } catch {
    // A receiver of a connection that is being closed.
    return null
  }
}
