/** Validates what a page's script carries of sound: the page is not ours, and it may send anything. */
import { systemClock } from '@standin/wire/time/deadline.ts'
import type { AudioTap, CapturedAudio } from '../../../packages/core/ports.ts'

/** A quarter of a second at the highest rate; the page sends 20 ms at a time. */
const MAX_MIX_BYTES = 24_000
/** The longest packet of Opus. */
const MAX_OPUS_BYTES = 1275
const MAX_ID_LENGTH = 500
/**
 * Largest difference from this machine's clock: speech of a person who is not identified yet waits in the page for a
 * minute. Milliseconds.
 */
const MAX_AWAY_MS = 120_000
/**
 * `v <UTC ms> <base64 Opus> <participant's id>`, or base64 PCM: `m` the mix, `h` the same for a page that the bot shows, `p` the
 * sound of that page. `a <UTC ms> <1 or 0> <participant's id>`: whether this participant is heard.
 */
const CARRIED = /^([mhpva]) (\d{1,16}(?:\.\d+)?) ([A-Za-z0-9+/]{1,40000}={0,2})(?: (.+))?$/s

export interface CarriedTo {
  audioTap: AudioTap | null
  /** Get the sound of the shown page and of the meeting, while a page is shown. */
  onPage?(sound: CapturedAudio): void
  onMeeting?(sound: CapturedAudio): void
  onVoice?(participantId: string, isHeard: boolean, at: number): void
}

/** `now`: UTC milliseconds. */
export function receiveCarriedAudio(
  payload: string,
  { audioTap, onPage, onMeeting, onVoice }: CarriedTo,
  now: number = systemClock.now(),
): void {
  const [, kind, time, base64, participantId = ''] = CARRIED.exec(payload) ?? []
  const at = Number(time)
  if (base64 === undefined || Math.abs(at - now) > MAX_AWAY_MS) return
  const bytes = Buffer.from(base64, 'base64')
  const isOfSomeone = participantId !== '' && participantId.length <= MAX_ID_LENGTH
  if (kind === 'a') {
    if (isOfSomeone) onVoice?.(participantId, base64 === '1', at)
  } else if (kind === 'v') {
    if (bytes.length <= MAX_OPUS_BYTES && isOfSomeone) audioTap?.onParticipantAudio({ participantId, at, opus: bytes })
  } else if (bytes.length <= MAX_MIX_BYTES && bytes.length % 2 === 0) {
    const sound = { at, samples: bytes }
    if (kind === 'm') audioTap?.onMix(sound)
    else if (kind === 'h') onMeeting?.(sound)
    else onPage?.(sound)
  }
}
