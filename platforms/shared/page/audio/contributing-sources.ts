/** Reads who is audible from the audio receivers of a meeting that mixes several people into a few tracks. */

/** The level of one contributing source a moment ago. */
export interface SourceSample {
  csrc: number
  /** 0 to 1, linear. */
  level: number
  /** Milliseconds since the last packet that carried it was seen, by our own clock. */
  ageMs: number
}

/**
 * The browser keeps an entry for about ten seconds after its last packet; an older entry than this says nothing about
 * the present. Milliseconds.
 */
export const FRESH_MS = 1000

/**
 * An entry seen for the first time is new when its own clock agrees; if the difference is larger than this, it is
 * another clock. Milliseconds.
 */
const SAME_CLOCK_MS = 60_000

interface Seen {
  stamp: string
  changedAt: number
}

/**
 * Returns a sampler to be called at a steady pace (100 to 500 ms). Each call gives the fresh entries, one for each
 * source, the newest if several receivers carry the same one. The clock of the entries is not the page's (it jumped
 * by hours in real meetings), so an entry is as old as the last time we saw its time stamp move.
 */
export function createSourceSampler(
  now: () => number = () => performance.timeOrigin + performance.now(),
): (receivers: Iterable<RTCRtpReceiver>) => SourceSample[] {
  const seen = new WeakMap<RTCRtpReceiver, Map<number, Seen>>()

  function ageOf(receiver: RTCRtpReceiver, entry: RTCRtpContributingSource, at: number): number {
    const ofReceiver = seen.get(receiver) ?? new Map<number, Seen>()
    seen.set(receiver, ofReceiver)
    const stamp = `${entry.timestamp}/${entry.rtpTimestamp}`
    const earlier = ofReceiver.get(entry.source)
    if (earlier?.stamp === stamp) return at - earlier.changedAt
    let age = 0
    if (!earlier) {
      // There is no earlier entry to compare with: this one may be from before sampling began.
      const claimed = at - entry.timestamp
      age = Math.abs(claimed) < SAME_CLOCK_MS ? Math.max(0, claimed) : FRESH_MS + 1
    }
    ofReceiver.set(entry.source, { stamp, changedAt: at - age })
    return age
  }

  return (receivers) => {
    const at = now()
    const newest = new Map<number, SourceSample>()
    for (const receiver of receivers) {
      for (const entry of readSources(receiver)) {
        const sample = { csrc: entry.source, level: entry.audioLevel ?? 0, ageMs: ageOf(receiver, entry, at) }
        const known = newest.get(sample.csrc)
        if (sample.ageMs <= FRESH_MS && (!known || sample.ageMs < known.ageMs)) newest.set(sample.csrc, sample)
      }
    }
    return [...newest.values()]
  }
}

export function readSources(receiver: Pick<RTCRtpReceiver, 'getContributingSources'>): RTCRtpContributingSource[] {
  try {
    return receiver.getContributingSources()
  } catch {
    // A receiver of a connection that is being closed has no sources.
    return []
  }
}
