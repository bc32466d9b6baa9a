export interface Turn {
  /** Identifies the speaker: two participants with the same name are two speakers. */
  person: number | string
  name: string
  /** Seconds from the start of the recording. */
  from: number
  to: number
}

interface Speaker {
  person: Turn['person']
  name: string
  turns: Turn[]
  seconds: number
}

/** The speaker who spoke longest comes first. */
export function speakersOf(turns: readonly Turn[]): Speaker[] {
  const speakers = new Map<Turn['person'], Speaker>()
  for (const turn of turns) {
    const { person, name } = turn
    const speaker = speakers.get(person) ?? { person, name, turns: [], seconds: 0 }
    speakers.set(person, speaker)
    speaker.turns.push(turn)
    speaker.seconds += turn.to - turn.from
  }
  return [...speakers.values()].sort((one, other) => other.seconds - one.seconds)
}
