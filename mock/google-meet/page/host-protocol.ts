/** What the host's page is told and what it can ask for. */

export interface HostPerson {
  id: string
  name: string
  isHost: boolean
  camera: boolean
  muted: boolean
  isSpeaking: boolean
  isSharing: boolean
}

export interface HostMeeting {
  code: string
  url: string
  scenario: string
  state: string
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

/** Given once, with the page. */
export interface HostFacts {
  scenarios: { name: string; about: string }[]
  showable: string[]
  /** `--map-host` options of the command line. */
  mapHost: string
  /** Flags for a browser that a person opens. */
  browserFlags: string
}

export type HostAction =
  | { act: 'open'; scenario: string; speed: number }
  | { act: 'admit' | 'deny' | 'remove' | 'end' | 'mute' | 'lose' | 'regain'; code: string }
  | { act: 'add'; code: string; name: string; camera: boolean }
  | { act: 'person'; code: string; id: string; what: 'speak' | 'camera' | 'share' | 'leave' }
  | { act: 'say'; code: string; id: string; text: string }
  | { act: 'chat'; code: string; enabled: boolean }
  | { act: 'show'; code: string; what: string }
  | { act: 'flash'; code: string; on: boolean }
