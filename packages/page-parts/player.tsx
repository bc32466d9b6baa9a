import type { RefObject } from 'preact'
import type { Playback } from './playback.ts'

interface PlayerProps {
  kind: 'video' | 'audio'
  src: string
  /** Address of the picture that a video shows until it plays. */
  poster?: string | null | undefined
  playback: Playback
}

/** The recording. It needs no captions track: the lines are beside it. */
export function Player({ kind, src, poster, playback }: PlayerProps) {
  // Both elements take these attributes.
  const Media = kind as 'video'
  return (
    <>
      <Media
        ref={playback.media as RefObject<HTMLVideoElement>}
        src={src}
        poster={poster ?? undefined}
        controls
        preload="metadata"
        {...playback.events}
      />
      <p class="soft small-text of-keyboard">Keys: k plays and pauses, j and l jump 10 seconds, / searches.</p>
    </>
  )
}
