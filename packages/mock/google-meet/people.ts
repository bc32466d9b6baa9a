/** Google Meet's data about the people in a meeting. */
import { randomBytes, randomInt } from 'node:crypto'
import { type Person as BasePerson, People } from '../shared/people.ts'
import type { PagePerson } from './page/protocol.ts'

export interface Person extends BasePerson {
  /** `spaces/<space>/devices/<n>`. */
  device: string
  /** The device of the person's presentation. */
  shareDevice: string | null
  isMerged: boolean
}

/** Gives out the devices of one meeting. */
export class Devices {
  private readonly space = randomBytes(6).toString('base64url')
  private last = randomInt(11, 60)

  next(): string {
    this.last += randomInt(1, 9)
    return `spaces/${this.space}/devices/${this.last}`
  }
}

/** @param isMerged all people except the host share one sound */
export function newPeople(devices: Devices, isMerged: boolean): People<Person> {
  const people: People<Person> = new People((base) => {
    const sharesSound = isMerged && base.isHost !== true
    const mergedWith = sharesSound ? people.all().find((other) => other.isMerged) : undefined
    return {
      ...base,
      device: base.id.startsWith('spaces/') ? base.id : devices.next(),
      audioCsrc: mergedWith?.audioCsrc ?? base.audioCsrc,
      shareDevice: null,
      isMerged: sharesSound,
    }
  })
  return people
}

export function shownAs(person: Person): PagePerson {
  return {
    device: person.device,
    name: person.name,
    isSelf: false,
    isHost: person.isHost === true,
    camera: person.camera === true,
    muted: person.muted === true,
    speaking: person.isSpeaking,
    handRaised: person.isHandRaised,
    shareDevice: person.shareDevice,
    merged: person.isMerged,
  }
}
