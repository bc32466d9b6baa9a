/**
 * The synthetic meeting that all contenders record: four people with cameras of 640×360 at 24 frames, taking turns to
 * speak.
 */
import type { MockMeeting, MockPerson, MockServer } from '../../mock/types.ts'

const PEOPLE: MockPerson[] = [
  { id: 'ann', name: 'Ann Host', isHost: true, camera: true },
  { id: 'ben', name: 'Ben', camera: true },
  { id: 'cleo', name: 'Cleo', camera: true },
  { id: 'dan', name: 'Dan', camera: true },
]
/** The mock gives looks (color, voice) in the order in which people are named. */
export const LOOKS = PEOPLE.map((_, index) => index)
export const SOURCE_FRAMES_PER_SECOND = 24

/** How people talk: in turns of five seconds, so that a speaker view has work, or all at once without a pause. */
export type Talk = 'turns' | 'all'

export interface Scene {
  meeting: MockMeeting
  /** Flashes with a beep every two seconds, from now on. */
  markTime(): void
  /** All people fall silent. Repeatable. */
  end(): void
}

export function openScene(server: MockServer, options: { cameras?: boolean; talk?: Talk } = {}): Scene {
  const people = PEOPLE.map((person) => ({ ...person, camera: options.cameras ?? true }))
  const meeting = server.open('open', { people })
  let turn = 0
  let speaker: string | null = null
  const next = () => {
    if (speaker !== null) meeting.stopSpeaking(speaker)
    speaker = people[turn++ % people.length]!.id
    meeting.startSpeaking(speaker)
  }
  let timer: NodeJS.Timeout | undefined
  if (options.talk === 'all') for (const { id } of people) meeting.startSpeaking(id)
  else {
    next()
    timer = setInterval(next, 5000)
  }
  return {
    meeting,
    markTime: () => meeting.flashAndBeep(true),
    end: () => clearInterval(timer),
  }
}

/** A meeting runs in real time: sound and picture cannot be sped up. */
export function passes(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000))
}
