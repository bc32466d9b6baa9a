/** Scripted meetings in which everything happens that makes it hard to say who spoke when. Pure. */
import { randomOf } from '../../mock/shared/page/random.ts'
import type { MockMeeting, MockPerson } from '../../mock/types.ts'

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

/** A talk by so many voices, the same one for the same seed; a fifth of the turns begins before the last one ended. */
export function conversation(count: number, seconds: number, seed: number): Scene {
  const random = randomOf(seed)
  const people = voices(count)
  const between = (least: number, most: number) => least + random.next() * (most - least)
  const freeFrom = new Map<string, number>()
  const said: Said[] = []
  const say = (who: string, from: number, length: number) => {
    said.push({ who, from, to: from + length })
    freeFrom.set(who, from + length + 0.8)
  }
  let last = ''
  for (let at = 0; at < seconds - 2; ) {
    const silent = people.map(({ id }) => id).filter((id) => id !== last && (freeFrom.get(id) ?? 0) <= at)
    // Every participant speaks: the one with the fewest turns is next.
    const words = (id: string) => said.filter((turn) => turn.who === id).length
    const fewest = Math.min(...silent.map(words))
    const next = silent.filter((id) => words(id) === fewest)
    const who = next[Math.floor(random.next() * next.length)]
    if (who === undefined) {
      at += 0.5
      continue
    }
    const length = between(1.5, 4)
    say(who, at, length)
    // A yes of another participant.
    const listeners = silent.filter((id) => id !== who)
    if (listeners.length > 0 && random.chance(0.3))
      say(listeners[Math.floor(random.next() * listeners.length)]!, at + between(0.3, 0.7) * length, between(0.3, 0.5))
    last = who
    at += length + (random.chance(0.2) ? -between(0.5, 1.2) : between(0.1, 1))
  }
  const more: Scene['steps'] = [
    { at: seconds * 0.4, happen: (meeting) => meeting.renamePerson('p1', NEW_NAME) },
    { at: seconds * 0.5, happen: (meeting) => meeting.startSharing('p0') },
    { at: seconds * 0.7, happen: (meeting) => meeting.stopSharing('p0') },
  ]
  const leaver = said.findLast(({ who, from, to }) => who !== 'p0' && to - from > 2 && from < seconds * 0.9)
  if (leaver && count > 2) more.push({ at: leaver.from + 1.5, happen: (meeting) => meeting.removePerson(leaver.who) })
  const left = leaver && count > 2 ? leaver : null
  return scene(
    people,
    said.filter((turn) => left === null || turn.who !== left.who || turn.from <= left.from),
    more,
  )
}
