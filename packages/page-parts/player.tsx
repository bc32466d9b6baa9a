import type { RefObject } from 'preact'
import type { Playback } from './playback.ts'

/** The recording. It needs no captions track: the lines are beside it. */
export function Player({ kind, src, playback }: { kind: 'video' | 'audio'; src: string; playback: Playback }) {
  // Both elements take these attributes.
  const Media = kind as 'video'
  return (
    <>
      <Media
        ref={playback.media as RefObject<HTMLVideoElement>}
        src={src}
        controls
        preload="metadata"
        {...playback.events}
      />
      <p class="soft small-text">Keys: k plays and pauses, j and l jump 10 seconds, / searches.</p>
    </>
  )
}
