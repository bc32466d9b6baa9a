/** What the host's page is told and what it can ask for. */

export interface HostPerson {
  id: string
  name: string
  isHost: boolean
  camera: boolean
  muted: boolean
  isSpeaking: boolean
  isSharing: boolean
  isHandRaised: boolean
}

export interface HostMeeting {
  platform: string
  code: string
  url: string
  scenario: string
  state: string
  /** What of it matters to a host. */
  phase: 'before' | 'waiting' | 'call' | 'over'
  /** What can be shown to the bot. */
  showable: string[]
  botName: string | null
  microphoneOn: boolean
  cameraOn: boolean
  sent: { audioPackets: number; videoPackets: number; audioIsSilent: boolean | null }
  people: HostPerson[]
  chat: { sender: string; text: string; at: number; isBot: boolean }[]
  log: { at: number; text: string }[]
}

export interface HostState {
  meetings: HostMeeting[]
}

export interface HostPlatform {
  name: string
  title: string
  scenarios: { name: string; about: string }[]
  /** `--map-host` options of the command line. */
  mapHost: string
  /** Flags for a browser that a person opens. */
  browserFlags: string
}

/** Given once, with the page. */
export interface HostFacts {
  platforms: HostPlatform[]
}

/** What a person does; most are undone by being done again. */
export type PersonDeed = 'speak' | 'camera' | 'share' | 'hand' | 'react' | 'leave'

/** Which meeting is meant. */
interface OfMeeting {
  platform: string
  code: string
}

export type HostAction =
  | { act: 'open'; platform: string; scenario: string; speed: number }
  | ({ act: 'admit' | 'deny' | 'remove' | 'end' | 'mute' | 'lose' | 'regain' } & OfMeeting)
  | ({ act: 'add'; name: string; camera: boolean } & OfMeeting)
  | ({ act: 'person'; id: string; what: PersonDeed } & OfMeeting)
  /** Of the last message that somebody wrote. */
  | ({ act: 'message'; what: 'edit' | 'delete' } & OfMeeting)
  | ({ act: 'say'; id: string; text: string } & OfMeeting)
  | ({ act: 'chat'; enabled: boolean } & OfMeeting)
  | ({ act: 'show'; what: string } & OfMeeting)
  | ({ act: 'flash'; on: boolean } & OfMeeting)
