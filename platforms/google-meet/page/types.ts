/** What the page script is told and what it tells; plain data on both ways. */
import type { RecordingMode } from '../../../src/wire/codes.ts'

export interface PageConfig {
  /** Name of the event by which the driver calls; nobody can guess it, and nothing of it can be enumerated. */
  channel: string
  /** Where the meeting's hooks belong; on other hosts the script only reads signs. */
  meetingHosts: readonly string[]
  botName: string
  /** A data: URL, or null for none. */
  botImage: string | null
  recordingMode: RecordingMode
  /** Of `selectors.ts`. */
  selectors: Readonly<Record<string, string>>
  /** Sources of case-insensitive expressions for labels, of `texts.ts`. */
  labels: Readonly<Record<string, string>>
  /** Sources of the wordings of the join button, preferred ones first. */
  joinLabels: readonly string[]
}

export interface DialogSigns {
  text: string
  isModal: boolean
  isPersistent: boolean
  buttons: { label: string; action: string | null; ref: number }[]
}

export type DeviceSign = 'on' | 'off' | 'problem' | 'absent'

/** Why a button is taken for the one that joins; the earlier the better. */
export type JoinRank = 'label' | 'jsname' | 'wording' | 'structure'

/** Everything one look at the page tells, gathered in one go. */
export interface PageSigns {
  /** UTC milliseconds. */
  at: number
  url: string
  lang: string
  /** Visible text by block, without what people wrote: chat, captions, tiles, lists of people, dialogs. */
  lines: string[]
  headings: string[]
  dialogs: DialogSigns[]
  nameBox: { value: string } | null
  join: { label: string; rank: JoinRank; isEnabled: boolean } | null
  switchHere: boolean
  withoutAccount: boolean
  microphone: DeviceSign
  camera: DeviceSign
  /** Real tiles: those with a media id that are not the effects button of the waiting room. */
  tiles: number
  captionsControl: boolean
  /** Everybody in the call, the bot too, as a label says; null where none does. */
  peopleCount: number | null
  shareScreen: boolean
  chatControl: boolean
  leaveControl: boolean
  /** Buttons and marks of pages that end a visit. */
  returnHome: boolean
  rejoin: boolean
  askAgain: boolean
  countdown: boolean
  callEnded: boolean
  captcha: boolean
  /** Status of the own device in the roster: 1 in, 6 out, 7 removed; null where no roster came. */
  ownStatus: number | null
  /** Others in the meeting as far as known; null where the page does not say. */
  others: number | null
  /** Where what is known about people comes from. */
  rosterSource: 'channel' | 'http' | 'page' | null
  audioElements: number
  audioReceivers: number
}

export type PageEvent =
  | { type: 'participant_joined' | 'participant_changed'; participant: PageParticipant; at: number }
  | { type: 'participant_left'; participantId: string; at: number }
  | {
      type: 'speaking'
      participantId: string
      isSpeaking: boolean
      source: 'csrc' | 'page' | 'captions' | 'audio_level'
      confidence: number
      at: number
    }
  | { type: 'chat_message'; message: PageChatMessage }
  | { type: 'screen_share'; participantId: string | null; isSharing: boolean; at: number }

export interface PageParticipant {
  id: string
  name: string
  isHost: boolean
}

export interface PageChatMessage {
  id: string
  senderId: string | null
  senderName: string
  text: string
  /** UTC milliseconds. */
  at: number
  isOwn: boolean
}

export interface NumberedPageEvent {
  number: number
  event: PageEvent
}

export interface Snapshot {
  signs: PageSigns
  /** Events after the number that was acknowledged, oldest first. */
  events: NumberedPageEvent[]
}

/** Elements that the driver can ask for by name. */
export type ElementName =
  | 'nameBox'
  | 'join'
  | 'withoutAccount'
  | 'microphone'
  | 'camera'
  | 'leave'
  | 'chat'
  | 'chatBox'
  | 'send'
  | 'people'

export interface ChatState {
  isPanelOpen: boolean
  box: { isEnabled: boolean; value: string } | null
  own: { id: string; text: string }[]
}

export interface PageApi {
  snapshot(acknowledged: number): Snapshot
  element(name: ElementName): Element | null
  /** A button of a dialog of the latest snapshot. */
  reference(ref: number): Element | null
  /** From admission on events are told. */
  begin(): void
  /** The text box of the chat, if it is there, and the bot's own messages as the page shows them. */
  chat(): ChatState
  showComposite(): Promise<void>
  /** Plain click without a pointer, where the pointer cannot reach. */
  clickElement(name: ElementName): boolean
}
