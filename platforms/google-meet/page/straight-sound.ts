import { ownPlayers } from '../../shared/page/audio/page-playback.ts'
import type { WebRtcTap } from '../../shared/page/audio/webrtc-tap.ts'
import { wrapMethod } from '../../shared/page/dom/patch-native.ts'

/**
 * Google Meet leaves its audio elements paused and plays its streams through an AudioContext. Chromium buffers up to
 * 100 ms of sound between the two, and never corrects the size of this buffer. Each time that the machine stalls for
 * some tens of milliseconds, sound is earlier or later from then on, by up to 80 ms
 * (bench/notes/2026-11-24-standstills.md).
 *
 * So an element of ours plays each stream that the page gives to an AudioContext, and the page gets a silent copy of
 * it. Where an element of the page plays the stream, or ours cannot, the page's own way stays as it is.
 */
export function playDirectly(tap: Pick<WebRtcTap, 'tracks'>): void {
  const heard = new Map<MediaStreamTrack, Heard>()

  wrapMethod(AudioContext.prototype, 'createMediaStreamSource', (native, _context, given) => {
    const [stream] = given
    const tracks = stream instanceof MediaStream ? stream.getAudioTracks() : []
    const received = tap.tracks('audio').map(({ track }) => track)
    if (tracks.length === 0 || !tracks.every((track) => received.includes(track))) return native(...given)
    return native(new MediaStream(tracks.map(forThePage)))
  })

  // The page's elements are in the document; their events do not bubble, but the document can capture them.
  for (const event of ['play', 'pause', 'volumechange'])
    document.addEventListener(event, () => heard.forEach(decide), { capture: true })

  function forThePage(track: MediaStreamTrack): MediaStreamTrack {
    let known = heard.get(track)
    if (known === undefined) {
      known = { player: new Audio(), copies: [] }
      ownPlayers.add(known.player)
      known.player.srcObject = new MediaStream([track])
      heard.set(track, known)
      track.addEventListener('ended', () => heard.delete(track))
    }
    const copy = track.clone()
    known.copies.push(copy)
    decide(known, track)
    return copy
  }

  function decide({ player, copies }: Heard, track: MediaStreamTrack): void {
    const throughPage = (isHeard: boolean) => {
      for (const copy of copies) copy.enabled = isHeard
    }
    if (isPlayed(track)) {
      player.pause()
      throughPage(true)
    } else
      player.play().then(
        () => throughPage(false),
        () => throughPage(true),
      )
  }
}

interface Heard {
  /** The element of ours that plays the track. */
  player: HTMLAudioElement
  /** Copies of the track that the page's AudioContexts have. */
  copies: MediaStreamTrack[]
}

/** Whether an element of the page plays it. */
function isPlayed(track: MediaStreamTrack): boolean {
  return [...document.querySelectorAll<HTMLMediaElement>('audio, video')].some(
    ({ paused, muted, srcObject }) =>
      !paused && !muted && srcObject instanceof MediaStream && srcObject.getAudioTracks().some((own) => own === track),
  )
}
