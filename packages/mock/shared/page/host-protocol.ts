/** The messages between the server and the host's page. */

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
  /** The state, reduced to what matters to a host. */
  phase: 'before' | 'waiting' | 'call' | 'over'
  /** Names that the action `show` accepts. */
  showable: string[]
  /** Names that the action `access` accepts. */
  accessModes: string[]
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

/** Actions of a person. Most of them toggle. */
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
  /** Changes the last message that a person wrote. */
  | ({ act: 'message'; what: 'edit' | 'delete' } & OfMeeting)
  | ({ act: 'say'; id: string; text: string } & OfMeeting)
  | ({ act: 'chat'; enabled: boolean } & OfMeeting)
  | ({ act: 'show'; what: string } & OfMeeting)
  | ({ act: 'access'; access: string } & OfMeeting)
  | ({ act: 'flash'; on: boolean } & OfMeeting)
