/**
 * Decides who speaks in Zoom: by each person's own sound if it is separate, elsewhere by the mix and the marks of
 * the tiles.
 */
import { type Speech, watchSpeech } from '../../shared/page/audio/speech.ts'
import {
  LEVEL_OFF,
  LEVEL_ON,
  type LevelSample,
  SILENCE_MS,
  type SpeechChange,
} from '../../shared/page/audio/speech-detector.ts'
import { pageNow } from '../../shared/page/page-clock.ts'
import { MarkedSound } from './marked-sound.ts'
import type { Person, Roster } from './roster.ts'
import type { MeetingSound } from './sound.ts'
import { NamelessSounds } from './sound-owners.ts'
import { type Mark, type MarkedPerson, MarkJudge, newestMarks } from './speakers.ts'

export interface ZoomSpeechParts {
  sound: MeetingSound
  roster: Pick<Roster, 'present' | 'ofUser' | 'takeOwner'>
  /** Number of people with the bot, as the page says; null if it does not. */
  peopleCount(): number | null
  /** Whether the driver has received this person: only these can speak. */
  isReported(id: string): boolean
  emit(changes: SpeechChange[]): void
}

export interface ZoomSpeech extends Speech {
  /** One poll of the page: who is marked now. */
  update(marked: readonly MarkedPerson[], at: number): void
}

export function watchZoomSpeech({ sound, roster, peopleCount, isReported, emit }: ZoomSpeechParts): ZoomSpeech {
  const judge = new MarkJudge()
  const nameless = new NamelessSounds()
  const mixed = new MarkedSound()
  let marks: Mark[] = []
  /** People who are loud, by their sounds; null if no sound can be read and marks are the only source. */
  let loud: Set<string> | null = null
  let lastOfPeopleAt = 0

  const speech = watchSpeech({
    // Sources of the client's own loop-back connection name no person.
    receivers: () => [],
    ownersOfSource: () => [],
    levels() {
      const samples = levels(pageNow())
      const isLoud = ({ level }: LevelSample) => level >= LEVEL_OFF
      loud = samples && new Set(samples.filter(isLoud).flatMap(({ participantIds }) => participantIds))
      return samples
    },
    emit,
  })

  function levels(at: number): LevelSample[] | null {
    const only = onlyOther()
    const mix = sound.mix()
    // With one other person in the meeting every sound is that person's.
    if (only) return mix === null ? null : [{ participantIds: [only.id], level: mix }]
    const heard = sound.people()
    if (heard === null) return mix === null ? null : mixed.round(mix, marks, at, sound.spectra())
    if (heard.some(({ level }) => level >= LEVEL_OFF)) lastOfPeopleAt = at
    // Sound that is in no person's own stream comes another way.
    else if (mix !== null && mix >= LEVEL_OFF && at - lastOfPeopleAt > SILENCE_MS)
      return mixed.round(mix, marks, at, sound.spectra())
    return ofPeople(heard, at)
  }

  function ofPeople(heard: NonNullable<ReturnType<MeetingSound['people']>>, at: number): LevelSample[] {
    const owners = heard.map(({ userId }) => roster.ofUser(userId))
    const named = heard.flatMap(({ level }, index) => {
      const owner = owners[index]
      return owner && isReported(owner.id) ? [{ participantIds: [owner.id], level }] : []
    })
    const withSound = new Set(owners.map((owner) => owner?.id))
    const unnamed = heard.filter((_, index) => !owners[index])
    const { samples, certain } = nameless.round(
      unnamed,
      marks.filter(({ id }) => !withSound.has(id)),
      at,
    )
    const soundless = roster.present().filter(({ id }) => !withSound.has(id))
    const isLast = unnamed.length === 1 && soundless.length === 1 && peopleCount() === roster.present().length + 1
    // The last unnamed sound, once it is loud, belongs to the last person without one; a person who has left sends
    // none.
    const last = isLast && unnamed[0]!.level >= LEVEL_ON ? { userId: unnamed[0]!.userId, id: soundless[0]!.id } : null
    const found = certain ?? last
    if (found) roster.takeOwner(found.userId, found.id)
    return [...named, ...samples]
  }

  function onlyOther(): Person | null {
    const [only, ...more] = roster.present()
    if (!only || more.length > 0 || !isReported(only.id)) return null
    const count = peopleCount()
    return count === null || count === 2 ? only : null
  }

  return {
    ...speech,
    update(marked, at) {
      marks = judge.update(
        marked.filter(({ id }) => isReported(id)),
        at,
      )
      // Beside sounds that name the speaker a mark only confirms them; it lingers too long to add a speaker.
      for (const { id } of loud === null ? newestMarks(marks) : marks)
        if (loud === null || loud.has(id)) speech.mark(id)
    },
    forget(id) {
      nameless.forget(id)
      mixed.forget(id)
      speech.forget(id)
    },
  }
}
