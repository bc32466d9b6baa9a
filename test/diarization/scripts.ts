/** Scripted meetings in which everything happens that makes it hard to say who spoke when. Pure. */
import type { MockMeeting, MockPerson } from '../../packages/mock/types.ts'

export interface Scene {
  people: MockPerson[]
  /** In the order of time; seconds since the scene began. */
  steps: { at: number; happen(meeting: MockMeeting): void }[]
  seconds: number
}

/** Two of them have one name, and the second one gets another. */
const NAMES = ['Ann Host', 'Ben <b>Bold</b>', 'Alex Kim', 'Alex Kim', 'Cléo Ñandú', 'Dan Dole', 'Eva Élan', '渡辺 Ken']
const NEW_NAME = 'Benedict "Ben" Bold'

function voices(count: number): MockPerson[] {
  return NAMES.slice(0, count).map((name, index) => ({
    id: `p${index}`,
    name,
    isHost: index === 0,
    camera: index % 2 === 0,
  }))
}

interface Said {
  who: string
  from: number
  to: number
}

function scene(people: MockPerson[], said: readonly Said[], more: Scene['steps'] = []): Scene {
  const steps = said.flatMap(({ who, from, to }) => [
    { at: from, happen: (meeting: MockMeeting) => meeting.startSpeaking(who) },
    // A participant who has left in the middle of a word has stopped.
    { at: to, happen: (meeting: MockMeeting) => isThere(meeting, who) && meeting.stopSpeaking(who) },
  ])
  steps.push(...more)
  steps.sort((one, other) => one.at - other.at)
  return { people, steps, seconds: Math.max(...steps.map(({ at }) => at)) + 1.5 }
}

const isThere = (meeting: MockMeeting, who: string) => meeting.people.some(({ id }) => id === who)

/** Half a minute with four voices that holds every hard case once. */
export function hardCases(): Scene {
  const [ann, ben, alex, otherAlex] = ['p0', 'p1', 'p2', 'p3'] as const
  return scene(
    voices(4),
    [
      { who: ann, from: 0, to: 4.5 },
      // A yes into the words of another participant, and one into the silence after it.
      { who: ben, from: 2, to: 2.4 },
      { who: alex, from: 5.3, to: 5.65 },
      { who: ben, from: 6.4, to: 10.5 },
      // Into Ben's last second, then by the other one of that name.
      { who: alex, from: 9.5, to: 12.5 },
      { who: otherAlex, from: 13.1, to: 16 },
      // Two at once from beginning to end.
      { who: ann, from: 16.8, to: 19.6 },
      { who: ben, from: 16.8, to: 19.6 },
      // Continues after a pause that is longer than a breath.
      { who: alex, from: 20.4, to: 22 },
      { who: alex, from: 22.9, to: 24.4 },
      { who: otherAlex, from: 23.3, to: 23.8 },
      // Leaves in the middle of it.
      { who: otherAlex, from: 25, to: 30 },
      { who: ann, from: 28.4, to: 30 },
    ],
    [
      { at: 8, happen: (meeting) => meeting.renamePerson(ben, NEW_NAME) },
      { at: 14, happen: (meeting) => meeting.startSharing(ann) },
      { at: 22.3, happen: (meeting) => meeting.stopSharing(ann) },
      { at: 27.5, happen: (meeting) => meeting.removePerson(otherAlex) },
    ],
  )
}
