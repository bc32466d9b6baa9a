/** Who speaks, by the sound of each person or of the meeting, and by the SDK's events. */
import { type Speech, watchSpeech } from '../../../shared/page/audio/speech.ts'
import type { LevelSample, SpeechChange } from '../../../shared/page/audio/speech-detector.ts'
import { pageNow } from '../../../shared/page/page-clock.ts'
import type { PageParticipant } from '../../../shared/page/types.ts'
import type { MeetingSound } from '../../page/sound.ts'
import { MixedSound } from '../../page/sound-owners.ts'
import type { Mark } from '../../page/speakers.ts'

/**
 * The SDK reports who speaks and does not report silence, so an event counts for this time
 * (docs/platform-notes/zoom.md#sdk-call-limits).
 */
const ACTIVE_MS = 1200

export interface SdkSpeechParts {
  sound: MeetingSound
  /** Others in the meeting. */
  present(): readonly PageParticipant[]
  emit(changes: SpeechChange[]): void
}

export interface SdkSpeech extends Speech {
  /** The SDK named these people, and no others, as the active speakers. */
  handleActive(ids: readonly string[], at: number): void
  /** Marks the people whose latest event still counts. */
  poll(at: number): void
}

export function watchSdkSpeech({ sound, present, emit }: SdkSpeechParts): SdkSpeech {
  const mixed = new MixedSound()
  /** UTC milliseconds until which the latest event of each person counts. */
  const activeUntil = new Map<string, number>()
  /** The people of the latest event. They stay until the next one. */
  let marks: Mark[] = []
  const isPresent = (id: string) => present().some((person) => person.id === id)

  const speech = watchSpeech({
    // Sources of the client's loop-back connection name no participant.
    receivers: () => [],
    ownersOfSource: () => [],
    levels,
    emit,
  })

  function levels(): LevelSample[] | null {
    const [only, ...more] = present()
    const mix = sound.mix()
    // With one other person in the meeting, all sound is that person's.
    if (only && more.length === 0) return mix === null ? null : [{ participantIds: [only.id], level: mix }]
    const heard = sound.people()
    if (heard !== null) return heard.map(({ userId, level }) => ({ participantIds: [String(userId)], level }))
    const here = marks.filter(({ id }) => isPresent(id))
    return mix === null ? null : mixed.round(mix, here, pageNow())
  }

  return {
    ...speech,
    handleActive(ids, at) {
      for (const id of ids) activeUntil.set(id, at + ACTIVE_MS)
      marks = ids.map((id) => marks.find((mark) => mark.id === id) ?? { id, since: at })
    },
    poll(at) {
      for (const [id, until] of activeUntil) {
        if (at > until) activeUntil.delete(id)
        else if (isPresent(id)) speech.mark(id)
      }
    },
  }
}
