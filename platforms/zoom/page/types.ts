/** Types of the data that the page script receives and reports, in addition to those of all platforms. */
import type * as words from '@standin/wire/words.ts'
import type { CommonConfig, CommonSnapshot, PageApi } from '../../shared/page/types.ts'
import type { Elements } from './elements.ts'

export type PageConfig = CommonConfig
export type SelectorName = words.SelectorName<'zoom'>

/** The form before the join, of the new client or the classic one. */
export interface FormSnapshot {
  client: 'react' | 'classic'
  name: { value: string; isEnabled: boolean } | null
  /** The typed passcode is a secret and stays in the page. */
  passcode: { isFilled: boolean } | null
  asksForEmail: boolean
  join: { label: string; isEnabled: boolean } | null
  errors: string[]
  /** The page has looked for devices; before that it loses typed text. */
  isSettled: boolean
}

export type AudioState =
  /** The microphone's button says mute or unmute: the bot is in the sound. */
  | 'joined'
  /** The button offers to join the sound. */
  | 'apart'
  /** The button has other words. */
  | 'unreadable'
  | 'absent'

/** All signs of one poll of the page. */
export interface PageSnapshot extends CommonSnapshot {
  title: string
  /** Text of the page for a link that cannot be joined. */
  pageError: string | null
  launchPage: boolean
  cookieBanner: boolean
  termsAsked: boolean
  disclaimer: string | null
  form: FormSnapshot | null
  captcha: boolean
  /** Accessible names of the open dialogs; they do not depend on the language. */
  dialogNames: string[]
  /** Text of the loading layer. */
  joining: string | null
  /** Text of a waiting room of any kind; null if there is none. */
  waiting: string[] | null
  /** Independent marks of the meeting itself. */
  marks: string[]
  meetingApp: boolean
  leaveControl: boolean
  /** The button says End: the bot has become host. */
  isHost: boolean
  leaveOptions: boolean
  audio: AudioState
  /** Sound of the meeting reaches the page in one of its ways. */
  hears: boolean
  reconnecting: string | null
  /** Number of people in the meeting with the bot, as the button says. */
  peopleCount: number | null
  peoplePanel: boolean
  chatPanel: boolean
  view: 'speaker' | 'gallery' | 'other' | null
  /** The page is empty. */
  isBlank: boolean
  /** The participants panel has to be read again, to know who is there. */
  isListDue: boolean
}

export type ElementName = Parameters<Elements['find']>[0]

export interface ZoomPageApi extends PageApi<PageSnapshot, ElementName> {
  /**
   * State of the preview and the meeting's start; the driver asks for it after a stall. Grows while the page is
   * working.
   */
  progress(): string
  /** False: the page has no microphone and no camera, as if they were unplugged. */
  setDevicesPresent(arePresent: boolean): void
  /** Whether a box contains this text; its content stays in the page. */
  holds(name: ElementName, text: string): boolean
}
