/**
 * The messages to and from the generator of the meeting's DOM. The web client's server exchanges them over a socket;
 * another page (the SDK's) exchanges them in its own process.
 */
import type { MessageExtras } from '../../shared/page/chat-text.ts'
import type { SharedFromPage, SharedToPage } from '../../shared/page/protocol.ts'
import type { DialogKind } from './dialog-kinds.ts'

export interface PagePerson {
  /** The node id, a multiple of 1024: the platform's `userId`. */
  node: number
  name: string
  isSelf: boolean
  role: 'host' | 'cohost' | 'none'
  /** Of another account than the host's. */
  isGuest: boolean
  audio: 'computer' | 'phone' | 'none'
  muted: boolean
  camera: boolean
  /** Has a profile photo, shown while the camera is off. */
  photo: boolean
  speaking: boolean
  sharing: boolean
  /** Only the SDK reports it. */
  handRaised: boolean
}

export interface ChatLine extends MessageExtras {
  /** `3-{uuid}`; also the DOM id of the text. */
  id: string
  senderNode: number
  senderName: string
  isOwn: boolean
  /** The recipient; null: all. */
  privateTo: string | null
  text: string
  /** UTC milliseconds. */
  at: number
}

export type MeetingView = 'speaker' | 'gallery' | 'multi-speaker'

/** The looks and traps of the meeting's page, chosen by the scenario and the seed. */
export interface UiSettings {
  topic: string
  /** People in the waiting room, of whom a host's page speaks. */
  waiting: number
  /** One second of the page's own times, in milliseconds of this run. */
  secondMs: number
  lang: string
  seed: number
  /**
   * How sound is played and where pictures are painted (docs/platform-notes/zoom.md#video-rendering and #audio-paths).
   */
  playback: 'webrtc' | 'worklet' | 'loopback'
  view: MeetingView
  /** How long the mark of the active speaker outlives the speech; Infinity is sent as null. */
  activeLingerMs: number | null
  /** The id of the participants' list is one of two. */
  unifiedList: boolean
  chatWrapper: boolean
  chatVirtuoso: boolean
  /** An opened chat shows its last message before the others. */
  chatDrawsLate: boolean
  /** Older builds have a plain text box. */
  chatEditor: 'rich' | 'textarea'
  /** Participants and chat may be open at once, one over the other. */
  stackedPanels: boolean
  /** The chat says who joined and left. */
  chatListsPeople: boolean
  /** The coach mark at the first opening of the chat. */
  chatTip: boolean
  /** Default receiver of messages. */
  chatReceiver: 'everyone' | 'group'
  chat: 'on' | 'disabled' | 'host-disabled'
  /** `auto`: joins by itself; `dialog`: asks; `unknown`: the button says only "audio". */
  audio: 'auto' | 'dialog' | 'unknown'
  /** Milliseconds of a resting pointer until header and footer slide away. */
  footerHideMs: number
}

export interface PreviewSettings {
  /** Shows the field for the passcode. */
  passcode: boolean
  email: boolean
  /** The initial text of the name box. */
  name: string
  /** A name that was set without keys is accepted. */
  lenient: boolean
  /** The number of clicks on Join that have no effect after it was enabled. */
  swallowedClicks: number
  permission: 'auto' | 'twice'
  devices: 'ask' | 'none'
  captcha: 'invisible' | 'frame' | 'characters'
  /** A wall that is there when the page is loaded. */
  wall: 'none' | 'bot'
  /** Error under the passcode field, after a wrong one. */
  passcodeError: string
}

export type View =
  | { name: 'blank' }
  | { name: 'loading' }
  | { name: 'preview'; preview: PreviewSettings }
  | { name: 'classic'; preview: PreviewSettings }
  | { name: 'joining' }
  | { name: 'waiting'; tips: string[]; isOnHold: boolean; look: 'current' | 'old' | 'sdk' }
  | { name: 'meeting'; people: PagePerson[]; self: number }
  | { name: 'text'; title: string; body: string }

export type ToPage =
  | SharedToPage
  | { do: 'view'; view: View }
  | { do: 'people'; people: PagePerson[] }
  | { do: 'speaking'; node: number; speaking: boolean }
  | { do: 'chat'; line: ChatLine }
  /** Edited or deleted. */
  | { do: 'chatChange'; line: ChatLine }
  | { do: 'chatPolicy'; chat: UiSettings['chat'] }
  | { do: 'dialog'; dialog: DialogKind; text?: string }
  | { do: 'closeDialog'; dialog: DialogKind }
  | { do: 'closeDialogs' }
  /** `{0}` in the text stands for the value. */
  | { do: 'toast'; text: string; forMs: number; value?: string }
  /** A tip that is no dialog: `.relative-tooltip` or `.settings-feature-tips`. */
  | { do: 'tip'; text: string; button: string; cls?: string }
  | { do: 'banner'; text: string }
  | { do: 'locked'; locked: boolean }
  | { do: 'caption'; node: number; text: string; row: number }
  /** A layer over the meeting, as in changing rooms; null takes it away. */
  | { do: 'layer'; text: string | null }
  /** Breakout rooms are open, and a guest has their button. */
  | { do: 'rooms'; areOpen: boolean }
  | { do: 'lost' }
  | { do: 'captchaToast'; text: string }
  | { do: 'replaceState'; url: string }
  | { do: 'postToParent'; event: string }

export type FromPage =
  | SharedFromPage
  /** Whether a person would have to be asked for devices. */
  | { say: 'ready'; needsPrompt: boolean; lang: string }
  | { say: 'devicesSettled' }
  | { say: 'join'; name: string; passcode: string; email: string; captcha: string; isTrusted: boolean }
  | { say: 'dialog'; dialog: DialogKind; choice: string }
  | { say: 'leave'; how: 'leave' | 'end' | 'waiting' }
  | { say: 'chat'; text: string }
  | { say: 'audio'; joined: boolean }
  | { say: 'captions'; on: boolean }
  | { say: 'view'; view: MeetingView }
