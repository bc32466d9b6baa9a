import type { ReportData } from './data.ts'

export interface Speaker {
  id: number
  name: string
  turns: ReportData['turns']
  seconds: number
}

/** Those who spoke, the longest first; two people of one name are two. */
export function speakersOf(turns: ReportData['turns']): Speaker[] {
  const speakers = new Map<number, Speaker>()
  for (const turn of turns) {
    const speaker = speakers.get(turn.person) ?? { id: turn.person, name: turn.name, turns: [], seconds: 0 }
    speakers.set(turn.person, speaker)
    speaker.turns.push(turn)
    speaker.seconds += turn.to - turn.from
  }
  return [...speakers.values()].sort((one, other) => other.seconds - one.seconds)
}

/** Share of a time span, such as `42 %`; `–` of nothing. */
export function shareOf(part: number, whole: number): string {
  return whole > 0 ? `${Math.round((100 * part) / whole)} %` : '–'
}
