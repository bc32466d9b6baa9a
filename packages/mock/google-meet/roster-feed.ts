/** Sends the roster to a page over its `collections` channel: first complete, then each change. */
import type { DataChannelLike } from '../media/room.ts'
import type { Person } from './people.ts'
import { collectionEvent, type RosterChat, type RosterOutput, type RosterUser, type UserStatus } from './roster.ts'

export interface FeedSource {
  people(): Person[]
  self(): { device: string; name: string }
  videoStreams(): Map<string, string>
}

export class RosterFeed {
  private readonly source: FeedSource
  private channel: DataChannelLike | null = null

  constructor(source: FeedSource) {
    this.source = source
  }

  start(channel: DataChannelLike): void {
    this.channel = channel
    this.channel.send(collectionEvent(this.users(), this.outputs()))
  }

  stop(): void {
    this.channel = null
  }

  /** The whole roster, as the HTTP call gives it. */
  users(): RosterUser[] {
    const self = this.source.self()
    const own: RosterUser = {
      device: self.device,
      name: self.name,
      status: 1,
      isSelf: true,
      isHost: false,
      parent: null,
    }
    return [own, ...this.source.people().flatMap((person) => usersOf(person, 1))]
  }

  private outputs(): RosterOutput[] {
    const streams = this.source.videoStreams()
    return this.source.people().flatMap((person) => outputsOf(person, streams))
  }

  changed(person: Person): void {
    this.channel?.send(collectionEvent(usersOf(person, 1), outputsOf(person, this.source.videoStreams())))
  }

  left(person: Person, status: UserStatus = 6): void {
    this.channel?.send(collectionEvent(usersOf(person, status), []))
  }

  stoppedSharing(person: Person, device: string): void {
    this.channel?.send(collectionEvent([presentationOf(person, device, 6)], []))
  }

  chat(line: RosterChat): void {
    this.channel?.send(collectionEvent([], [], [line]))
  }

  /** Simulates a platform that has changed its protocol. */
  sendUnknown(bytes: Uint8Array): void {
    this.channel?.send(bytes)
  }

  selfStatus(status: UserStatus): void {
    const own = this.users()[0]
    if (own) this.channel?.send(collectionEvent([{ ...own, status }], []))
  }
}

function usersOf(person: Person, status: UserStatus): RosterUser[] {
  const user: RosterUser = {
    device: person.device,
    name: person.name,
    status,
    isSelf: false,
    isHost: person.isHost === true,
    parent: null,
  }
  return person.shareDevice === null ? [user] : [user, presentationOf(person, person.shareDevice, status)]
}

function presentationOf(person: Person, device: string, status: UserStatus): RosterUser {
  return { device, name: person.name, status, isSelf: false, isHost: false, parent: person.device }
}

function outputsOf(person: Person, streams: Map<string, string>): RosterOutput[] {
  // A camera without a line has a stream id too, which no page receives.
  const unseen = String(person.audioCsrc ^ 0x5f5f5f).replace('-', '')
  const outputs: RosterOutput[] = [
    {
      kind: 'audio',
      streamId: String(person.audioCsrc),
      device: person.device,
      disabled: person.muted === true,
    },
    {
      kind: 'video',
      streamId: streams.get(person.device) ?? unseen,
      device: person.device,
      disabled: person.camera !== true,
    },
  ]
  if (person.shareDevice !== null) {
    const streamId = streams.get(person.shareDevice) ?? unseen
    outputs.push({ kind: 'video', streamId, device: person.shareDevice, disabled: false })
  }
  return outputs
}
