/** Microsoft Teams' data about the people in a meeting. */
import { randomBytes } from 'node:crypto'
import { type Person as BasePerson, People } from '../shared/people.ts'
import { uuidOf } from './links.ts'
import type { PagePerson, Role } from './page/protocol.ts'

export interface Person extends BasePerson {
  mri: string
  role: Role
  endpoint: string
  /** The roster's numbers of the person's streams. */
  audioSource: number
  videoSource: number
  shareSource: number
  unresolved: string
}

/** How people come to be called by their qualifier, see docs/platform-notes/microsoft-teams.md#tiles-and-names. */
const QUALIFIERS = / \((Guest|External|Unverified)\)$/

/** @param mapsSources the voice's contributing source is the roster's number of it, as it really is */
export function newPeople(mapsSources: boolean): People<Person> {
  let nextSource = 100 + (randomBytes(1)[0] ?? 0)
  return new People<Person>((base) => {
    const audioSource = ++nextSource
    return {
      ...base,
      mri: mriOf(base),
      role: base.isHost ? 'organizer' : QUALIFIERS.test(base.name) ? 'attendee' : 'presenter',
      endpoint: uuidOf(`endpoint ${base.id} ${audioSource}`),
      audioSource,
      videoSource: ++nextSource,
      shareSource: ++nextSource,
      // Half of the people are called by their account's address in the tile's attributes.
      unresolved:
        base.look % 3 === 2 ? `${base.id.replace(/[^\w.-]/g, '')}@contoso.example` : uuidOf(base.id).slice(0, 12),
      audioCsrc: mapsSources ? audioSource : base.audioCsrc,
    }
  })
}

/** An id that is an MRI already stays one; guests have another kind than people of the organization. */
function mriOf({ id, name }: { id: string; name: string }): string {
  if (/^\d+:/.test(id)) return id
  const unique = `${id} ${randomBytes(8).toString('hex')}`
  return QUALIFIERS.test(name) ? `8:teamsvisitor:${uuidOf(unique).replaceAll('-', '')}` : `8:orgid:${uuidOf(unique)}`
}

/** The name without what the platform puts behind it. */
export function plainName(name: string): string {
  return name.replace(QUALIFIERS, '')
}

export function shownAs(person: Person): PagePerson {
  const { mri, name, role, audioSource, videoSource, shareSource, unresolved } = person
  return {
    mri,
    name,
    role,
    isSelf: false,
    camera: person.camera === true,
    muted: person.muted === true,
    speaking: person.isSpeaking,
    sharing: person.isSharing,
    handRaised: person.isHandRaised,
    unresolved,
    audioSource,
    videoSource,
    shareSource,
  }
}
