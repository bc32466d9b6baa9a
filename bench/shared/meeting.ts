/**
 * The synthetic meetings that all contenders record. The usual one: four people with cameras of 640×360 at 24 frames, taking
 * turns to speak. The large one: 300 people, 16 of them with cameras of 1280×720 that move all over, three speakers at a time,
 * chat, people who come and go, on a page with animations and blurred surfaces.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { MockMeeting, MockPerson, MockServer } from '../../packages/mock/types.ts'

const PEOPLE: MockPerson[] = [
  { id: 'ann', name: 'Ann Host', isHost: true, camera: true },
  { id: 'ben', name: 'Ben', camera: true },
  { id: 'cleo', name: 'Cleo', camera: true },
  { id: 'dan', name: 'Dan', camera: true },
]
/** The mock gives looks (color, voice) in the order in which people are named; those of the large meeting's cameras. */
export const LOOKS = Array.from({ length: 16 }, (_, index) => index)
export const SOURCE_FRAMES_PER_SECOND = 24
const TURN_MS = 5000
const LARGE_MEETING_SPEAKERS = 3
const CHAT_MS = 1000
const COMING_AND_GOING_MS = 2000
const READY_LOOK_MS = 100

/** How people talk: in turns of five seconds, so that a speaker view has work, or several at once without a pause. */
export type Talk = 'turns' | 'all'
/** `still`: nobody's camera is on, and somebody shares a screen that does not change. */
export type Meeting = 'usual' | 'large' | 'still'

export interface Scene {
  meeting: MockMeeting
  /** Flashes with a beep every two seconds; resolves with the first, when all pictures of the meeting are encoded. */
  markTime(): Promise<void>
  /** All people stop acting. Repeatable. */
  end(): void
}

export interface SceneOptions {
  cameras?: boolean
  talk?: Talk
  kind?: Meeting
}

export function openScene(
  server: MockServer,
  { cameras = true, talk = 'turns', kind = 'usual' }: SceneOptions = {},
): Scene {
  const meeting = OPEN[kind](server, cameras)
  const people = meeting.people.slice(0, kind === 'large' ? LOOKS.length : PEOPLE.length).map(({ id }) => id)
  const timers = kind === 'large' ? [chat(meeting), comeAndGo(meeting)] : []
  const atOnce = kind === 'large' ? LARGE_MEETING_SPEAKERS : 1
  if (talk === 'all') for (const id of people.slice(0, PEOPLE.length)) meeting.startSpeaking(id)
  else timers.push(takeTurns(meeting, people, atOnce))
  return {
    meeting,
    async markTime() {
      meeting.flashAndBeep(true)
      while (meeting.truth.beeps.length === 0) await sleep(READY_LOOK_MS)
    },
    end: () => {
      for (const timer of timers) clearInterval(timer)
    },
  }
}

const OPEN = { usual: openUsual, large: openLarge, still: openStill }

function openStill(server: MockServer): MockMeeting {
  const people = PEOPLE.map((person) => ({ ...person, camera: false }))
  const meeting = server.open('open', { people, media: { stillScreens: true } })
  meeting.startSharing('ann')
  return meeting
}

function openUsual(server: MockServer, cameras: boolean): MockMeeting {
  return server.open('open', { people: PEOPLE.map((person) => ({ ...person, camera: cameras })) })
}

function openLarge(server: MockServer, cameras: boolean): MockMeeting {
  const meeting = server.open('large-meeting')
  if (!cameras) for (const { id, camera } of meeting.people) if (camera) meeting.setCamera(id, false)
  return meeting
}

function takeTurns(meeting: MockMeeting, people: readonly string[], atOnce: number): NodeJS.Timeout {
  let turn = 0
  const next = () => {
    const out = people[(turn - atOnce + people.length) % people.length]!
    if (turn >= atOnce) meeting.stopSpeaking(out)
    meeting.startSpeaking(people[turn % people.length]!)
    turn++
  }
  for (let count = 0; count < atOnce; count++) next()
  return setInterval(next, TURN_MS / atOnce)
}

function chat(meeting: MockMeeting): NodeJS.Timeout {
  const people = meeting.people.map(({ id }) => id).slice(0, 100)
  let number = 0
  const say = () => {
    meeting.say(people[number % people.length]!, `Message ${++number} of a long chat, which names a thing or two`)
  }
  return setInterval(say, CHAT_MS)
}

function comeAndGo(meeting: MockMeeting): NodeJS.Timeout {
  let guests = 0
  return setInterval(() => {
    if (guests % 2 === 0) meeting.addPerson({ id: 'guest', name: `Late Guest ${guests}` })
    else meeting.removePerson('guest')
    guests++
  }, COMING_AND_GOING_MS)
}

/** A meeting runs in real time: sound and picture cannot be sped up. */
export function passes(seconds: number): Promise<void> {
  return sleep(seconds * 1000)
}
