/** Zoom's data about people. */
import { hashOf } from '../shared/page/random.ts'
import { People, type Person } from '../shared/people.ts'
import type { MockPerson } from '../types.ts'
import type { Nodes } from './numbers.ts'
import type { PagePerson } from './page/protocol.ts'

export interface ZoomPerson extends Person {
  /** The platform's `userId`. */
  node: number
}

export const USUAL_PEOPLE: MockPerson[] = [
  { id: 'ann', name: 'Ann Host', isHost: true, camera: true },
  { id: 'bob', name: 'Bob Berg', camera: true },
]

export function newPeople(nodes: Nodes): People<ZoomPerson> {
  return new People((base) => ({ ...base, node: nodes.next() }))
}

/** People who dial in, and those of another account than the host's, are known by the beginning of their id. */
export function shownAs(person: ZoomPerson): PagePerson {
  const { id, node, name, isHost, camera, muted, isSpeaking, isSharing, isHandRaised } = person
  return {
    node,
    name,
    isSelf: false,
    role: isHost ? 'host' : 'none',
    isGuest: id.startsWith('guest'),
    audio: id.startsWith('phone') ? 'phone' : 'computer',
    muted: muted === true,
    camera: camera === true,
    // Some people have a photo, the same ones every time.
    photo: hashOf(id) % 3 === 0,
    speaking: isSpeaking,
    sharing: isSharing,
    handRaised: isHandRaised,
  }
}
