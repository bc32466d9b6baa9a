/**
 * The messages between the mock page and its server, over the page's WebSocket. Types only: both sides import this
 * file, and it leaves no trace in the page's DOM.
 */
import type { MessageExtras } from '../../shared/page/chat-text.ts'
import type { SharedFromPage, SharedToPage } from '../../shared/page/protocol.ts'

export interface PagePerson {
  endpoint: string
  name: string
  isModerator: boolean
  camera: boolean
  muted: boolean
  isSharing: boolean
  /** UTC milliseconds; 0 while the hand is down. */
  handRaisedAt: number
}

/** Looks and traps of one page load, decided by the scenario and the seed. Times are milliseconds, already scaled. */
export interface PageSettings {
  room: string
  /** The endpoint of the page itself. */
  self: string
  seed: number
  speed: number
  lang: string
  secondMs: number
  hydrationMs: [number, number]
  toolboxHideMs: number
  swallow: Record<string, number>
  /** Labels of the toolbox: what a press does, or (older pages) what is switched. */
  labels: 'new' | 'old'
  /** A name that a token gives; there is no box for it then. */
  readOnlyName: string | null
  /** Whether the page exposes its state to scripts. */
  store: boolean
  /** The bot may end the meeting for all, so leaving asks how. */
  isModerator: boolean
  /** `forbidden`: there is a panel, but only for reading. */
  chat: 'on' | 'off' | 'forbidden'
  devices: 'ask' | 'none'
  lobbyPassword: boolean
  /** Tiles beyond these are not in the page, as those that are scrolled away. */
  mostTiles: number
  tileView: boolean
  feedback: boolean
  afterwards: 'close' | 'welcome' | 'nowhere'
}

export interface ChatLine extends MessageExtras {
  id: string
  /** Null for the page's own messages. */
  endpoint: string | null
  name: string
  text: string
  /** UTC milliseconds. */
  at: number
  reactions?: { emoji: string; endpoints: string[] }[]
  /** A short reaction of a participant, not a message. */
  isReaction?: boolean
}

export type View =
  | { name: 'loading' }
  | { name: 'deepLink' }
  | { name: 'prejoin'; isJoining: boolean }
  | { name: 'lobby'; isKnocking: boolean; password: 'none' | 'asked' | 'wrong' }
  | { name: 'call'; people: PagePerson[] }

export type DialogKind = 'password' | 'moderator' | 'moderator-lobby' | 'login' | 'consent' | 'tip'

/** A notification by the names of its texts. */
export interface Notice {
  title: string
  description?: string
  /** Put into the text. */
  name?: string
  isError?: boolean
}

export type ToPage =
  | SharedToPage
  | { do: 'view'; view: View }
  /** The page's own name of the failure; null after recovery. */
  | { do: 'failure'; name: string | null }
  | { do: 'dialog'; dialog: DialogKind }
  | { do: 'closeDialogs' }
  | { do: 'notice'; notice: Notice }
  /** People who are in a breakout room; none closes the room. */
  | { do: 'rooms'; names: string[] }
  | { do: 'people'; people: PagePerson[] }
  | { do: 'speaking'; endpoint: string; speaking: boolean }
  | { do: 'chat'; line: ChatLine }
  /** Edited or reacted to. */
  | { do: 'chatChange'; line: ChatLine }
  | { do: 'chatAllowed'; allowed: boolean }
  /** The conference is over; `reason` is what the page says about it, null if it says nothing. */
  | { do: 'over'; reason: string | null }
  | { do: 'overlay'; kind: 'network' | 'error'; forMs: number }

export type FromPage =
  | SharedFromPage
  | { say: 'launch' }
  | { say: 'join'; name: string }
  | { say: 'knock'; name: string }
  | { say: 'password'; password: string }
  | { say: 'dialog'; dialog: DialogKind; choice: string }
  /** The button was pressed where moderators alone may share. */
  | { say: 'screenRefused' }
  | { say: 'leave'; how: 'button' | 'menu' | 'end-for-all' }
  | { say: 'chat'; text: string }
