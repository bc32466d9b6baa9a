/**
 * Types of the data that the page script of Microsoft Teams receives and reports, in addition to those of all
 * platforms; plain data in both directions.
 */
import type { CommonConfig, CommonSnapshot, PageApi } from '../../shared/page/types.ts'
import type { Elements } from './elements.ts'

export type PageConfig = CommonConfig

/** The screen for wrong links, denials, removals and failed connections alike. */
interface RetrySnapshot {
  /** Title and description. */
  texts: string[]
  /** It asks for another meeting number: the given one is unknown. */
  asksForCode: boolean
  canRejoin: boolean
}

/** The end of the call as the meeting's own signalling reports it. */
export interface EndNotice {
  /** docs/platform-notes/microsoft-teams.md#end-messages. */
  subCode: number
  /** The sender is not the bot. */
  isByOther: boolean
}

/** Independent signs of the call's page. */
export type CallMark = 'toolbar' | 'tiles' | 'duration' | 'roster'

export interface PageSnapshot extends CommonSnapshot {
  /** Status of the document's own response; null if the browser does not report it. */
  httpStatus: number | null
  splash: boolean
  /** A page with only the shell of the web client: between two documents. */
  isBlank: boolean
  /** The page that offers the desktop app and the browser. */
  launcher: boolean
  signInForm: boolean
  captcha: boolean
  preJoin: boolean
  nameBox: { value: string } | null
  join: { label: string; isEnabled: boolean } | null
  /** The meeting would come without sound. */
  speakerIsOff: boolean
  withoutComputerAudio: boolean
  connecting: boolean
  lobby: boolean
  retry: RetrySnapshot | null
  /** Text of the page of an ended visit. */
  endScreen: string | null
  encryptionEnd: boolean
  /** The button to leave is in the page, visible or not: toolbars hide. */
  leaveControl: boolean
  /**
   * For how long it has been missing from this document, milliseconds; null while it is there and where it never was.
   */
  leaveGoneMs: number | null
  callMarks: CallMark[]
  chatControl: boolean
  /** The pane with the chat is open. */
  chatPane: boolean
  viewControl: boolean
  /** Number of people in the call with the bot; of "12+" it is 12. Null if no badge shows it. */
  peopleCount: number | null
  endNotice: EndNotice | null
  /** The source of the knowledge about people. */
  rosterSource: RosterSource | null
  /** Milliseconds of sound without a known speaker, since the document began. */
  unattributedMs: number
  captionsShown: boolean
  audioReceivers: number
}

/** `push`: the meeting's signalling; `call`: the client's own call object; `page`: tiles and rows. */
export type RosterSource = 'push' | 'call' | 'page'

/** Elements that the driver can ask for by name. */
export type ElementName = Parameters<Elements['find']>[0]

export interface TeamsPageApi extends PageApi<PageSnapshot, ElementName> {
  /** Uses the devices once, so that the page notices that they are allowed. */
  warmUpDevices(): Promise<void>
  /** Asks the client itself for captions; false if it offers no way. */
  startCaptions(): boolean
}
