/**
 * People as the SDK lists them. Pure. Fields as the package's own code fills them;
 * docs/platform-notes/zoom.md#sdk-events.
 */
import type { PagePerson } from '../../page/protocol.ts'

export interface SdkAttendee {
  userId: number
  self: boolean
  userName: string
  muted: boolean
  audio: string
  isHost: boolean
  isCoHost: boolean | ''
  isGuest: boolean
  isHold: boolean
  persistentID: string
  participantUUID: string
  customerKey: string
  video: boolean
  raiseHand: boolean
  sharingStatus: 'sharing' | 'stopped'
  isBotUser: boolean
  botBrandName: string
  botAuthorizerName: string
}

/** `authorizerName`: the user on whose behalf the bot joined; null if there is none. */
export function attendeeOf(person: PagePerson, authorizerName: string | null): SdkAttendee {
  const isBot = person.isSelf && authorizerName !== null
  return {
    userId: person.node,
    self: person.isSelf,
    userName: person.name,
    muted: person.muted,
    audio: person.audio === 'none' ? '' : person.audio,
    isHost: person.role === 'host',
    isCoHost: person.role === 'cohost' ? true : '',
    isGuest: person.isGuest,
    isHold: false,
    persistentID: `p-${person.node}`,
    participantUUID: `u-${person.node}`,
    customerKey: '',
    video: person.camera,
    raiseHand: person.handRaised,
    sharingStatus: person.sharing ? 'sharing' : 'stopped',
    isBotUser: isBot,
    botBrandName: isBot ? 'Standin' : '',
    botAuthorizerName: isBot ? (authorizerName ?? '') : '',
  }
}

/** Compares two lists: who joined, who left, whose data changed. */
export function changesBetween(before: readonly SdkAttendee[], after: readonly SdkAttendee[]) {
  const known = new Map(before.map((attendee) => [attendee.userId, attendee]))
  const now = new Set(after.map(({ userId }) => userId))
  return {
    joined: after.filter(({ userId, self }) => !self && !known.has(userId)),
    left: before.filter(({ userId, self }) => !self && !now.has(userId)),
    changed: after.filter((attendee) => {
      const was = known.get(attendee.userId)
      return was !== undefined && JSON.stringify(was) !== JSON.stringify(attendee)
    }),
  }
}
