/** The people in a mock Jitsi meeting. Each has an endpoint, which identifies them in the page and the media. */
import { randomBytes } from 'node:crypto'
import { type Person as BasePerson, People } from '../shared/people.ts'
import type { PagePerson } from './page/protocol.ts'

export interface Person extends BasePerson {
  /** Eight hexadecimal digits, as the server gives them to every participant. */
  endpoint: string
}

export function newEndpoint(): string {
  return randomBytes(4).toString('hex')
}

export function newPeople(): People<Person> {
  return new People((base) => ({ ...base, endpoint: newEndpoint() }))
}

/** Sources are named after their owner: sound, camera, shared screen. */
export function sourceName({ endpoint }: Person, kind: 'audio' | 'camera' | 'screen'): string {
  return `${endpoint}-${kind === 'audio' ? 'a0' : kind === 'camera' ? 'v0' : 'v1'}`
}

export function shownAs({ endpoint, name, isHost, camera, muted, isSharing, isHandRaised }: Person): PagePerson {
  return {
    endpoint,
    name,
    isModerator: isHost === true,
    camera: camera === true,
    muted: muted === true,
    isSharing,
    handRaisedAt: isHandRaised ? Date.now() : 0,
  }
}
