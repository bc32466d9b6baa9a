/** Follows the one video track of a stream that the tile shows, through all changes that a page makes to the stream. */

export interface TrackListener {
  /** Another track than before, or none. */
  taken(track: MediaStreamTrack | null): void
  /** The track was muted or unmuted. */
  changed(): void
}

export function followTrack(listener: TrackListener) {
  let stream: MediaStream | null = null
  let track: MediaStreamTrack | null = null

  function update(): void {
    const next = stream?.getVideoTracks().find(({ readyState }) => readyState === 'live') ?? null
    if (next === track) return
    for (const type of TRACK_CHANGES) track?.removeEventListener(type, onTrackChange)
    track = next
    for (const type of TRACK_CHANGES) track?.addEventListener(type, onTrackChange)
    listener.taken(track)
  }

  function onTrackChange(): void {
    update()
    listener.changed()
  }

  return {
    /** The same stream may be given again and again; null if the camera is off. */
    follow(next: MediaStream | null): void {
      if (next !== stream) {
        for (const type of STREAM_CHANGES) stream?.removeEventListener(type, update)
        stream = next
        for (const type of STREAM_CHANGES) stream?.addEventListener(type, update)
      }
      update()
    },
    track: (): MediaStreamTrack | null => track,
    /** The camera or screen gives pictures: the track is there, and not muted. */
    isOn: (): boolean => track !== null && !track.muted,
  }
}

const TRACK_CHANGES = ['mute', 'unmute', 'ended'] as const
const STREAM_CHANGES = ['addtrack', 'removetrack'] as const
