import type { WebRtcTap } from '../../shared/page/audio/webrtc-tap.ts'
import { wrapMethod } from '../../shared/page/dom/patch-native.ts'

/**
 * Google Meet leaves its audio elements paused and lets its streams be heard through an AudioContext. Chromium keeps up to
 * 100 ms of sound between the two, and nothing ever brings what is kept there back to what it was: each time that the machine
 * stands still for some tens of milliseconds, sound is earlier or later from then on, by up to 80 ms (bench/notes/2026-11-24-standstills.md).
 *
 * So each stream that the page gives to an AudioContext is heard from an element instead, and the page is given the same one
 * in silence. Where an element of the page plays the stream, or ours cannot, the page's own way is left as it is.
 */
export function hearStraight(tap: Pick<WebRtcTap, 'tracks'>): void {
  const heard = new Map<MediaStreamTrack, Heard>()

  wrapMethod(AudioContext.prototype, 'createMediaStreamSource', (native, _context, given) => {
    const [stream] = given
    const tracks = stream instanceof MediaStream ? stream.getAudioTracks() : []
    const received = tap.tracks('audio').map(({ track }) => track)
    if (tracks.length === 0 || !tracks.every((track) => received.includes(track))) return native(...given)
    return native(new MediaStream(tracks.map(forThePage)))
  })

  // The page's elements are in the document; their events do not bubble, but they come down.
  for (const event of ['play', 'pause', 'volumechange'])
    document.addEventListener(event, () => heard.forEach(decide), { capture: true })

  function forThePage(track: MediaStreamTrack): MediaStreamTrack {
    let known = heard.get(track)
    if (known === undefined) {
      known = { player: new Audio(), copies: [] }
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
  /** Ours. */
  player: HTMLAudioElement
  /** What the page's AudioContexts have of the track. */
  copies: MediaStreamTrack[]
}

/** By an element of the page. */
function isPlayed(track: MediaStreamTrack): boolean {
  return [...document.querySelectorAll<HTMLMediaElement>('audio, video')].some(
    ({ paused, muted, srcObject }) =>
      !paused && !muted && srcObject instanceof MediaStream && srcObject.getAudioTracks().some((own) => own === track),
  )
}
