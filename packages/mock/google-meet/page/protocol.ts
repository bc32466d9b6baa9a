import type { MessageExtras } from '../../shared/page/chat-text.ts'
import type { SharedFromPage, SharedToPage } from '../../shared/page/protocol.ts'

/**
 * The messages between the mock page and its server, over the page's WebSocket. Types only: both sides import this
 * file, and it leaves no trace in the page's DOM.
 */

export interface PagePerson {
  /** `spaces/<space>/devices/<n>`. */
  device: string
  name: string
  isSelf: boolean
  isHost: boolean
  camera: boolean
  muted: boolean
  speaking: boolean
  handRaised: boolean
  /** Device of the person's presentation while there is one. */
  shareDevice: string | null
  /** People of one room share one sound. */
  merged: boolean
}

/** Looks and traps of one page load, decided by the scenario and the seed. Times are milliseconds, already scaled. */
export interface PageSettings {
  code: string
  seed: number
  lang: string
  typographic: boolean
  signedIn: boolean
  /** The account's name where the page is signed in. */
  accountName: string
  hydrationMs: [number, number]
  toolbarHideMs: number
  secondMs: number
  /** Labels of the buttons that join, first the primary one. */
  joinLabels: string[]
  joinJsname: string
  joinWarning: string
  /** What the buttons that join say to screen readers after their label. */
  joinDetail: string
  /** The waiting room's own picture is a tile like those of the call. */
  lobbyTile: boolean
  nameBoxReplaced: boolean
  escapeTip: boolean
  /** The first clicks on these targets are ignored: target to number of clicks. */
  swallow: Record<string, number>
  toggleTag: 'div' | 'button'
  devices: 'ask' | 'none'
  captcha: 'invisible' | 'live'
  peopleBadge: boolean
  selfNameAttribute: boolean
  /**
   * Who decodes sound: the browser; a worklet, without any receiver; a worklet where the browser has an API for encoded
   * frames; a worklet always. With the latter two the receivers stay, live and silent.
   */
  audio: 'elements' | 'worklet' | 'encoded-frames' | 'own-decoder'
  captionsMenu: boolean
  chat: 'on' | 'off' | 'continuous'
  chatPins: boolean
  leaveDialog: boolean
  /** As much to decode and to paint as in a large meeting: 16 pictures, animations, blurred surfaces. */
  heavy: boolean
  workletPath: string
}

export interface ChatLine extends MessageExtras {
  id: string
  /** Null for the page's own messages. */
  device: string | null
  name: string
  text: string
  /** UTC milliseconds. */
  at: number
}

/** The content of the page. */
export type View =
  | { name: 'loading' }
  | { name: 'blank' }
  | { name: 'greenRoom'; inside: string[] }
  | { name: 'joining' }
  | { name: 'waitingForHost' }
  | { name: 'lobby'; self: string; textDelayMs: number }
  | { name: 'call'; self: string; botName: string; people: PagePerson[] }
  | {
      name: 'final'
      heading: string
      body: string[]
      buttons: string[]
      countdownTo: string | null
      /** The waiting room's text after the wait: real pages keep it. */
      lobbyText: 'gone' | 'hidden' | 'visible'
      callEnded: boolean
    }

export type DialogKind =
  | 'device-prompt'
  | 'signin-promo'
  | 'escape-tip'
  | 'consent-recording'
  | 'consent-gemini'
  | 'consent-other'
  | 'alone'
  | 'breakout'
  | 'got-it'
  | 'leave-host'
  | 'take-over'
  | 'camera-toast'

export type ToPage =
  | SharedToPage
  | { do: 'view'; view: View }
  | { do: 'people'; people: PagePerson[] }
  | { do: 'speaking'; device: string; speaking: boolean }
  | { do: 'dialog'; dialog: DialogKind }
  | { do: 'closeDialogs' }
  | { do: 'toast'; text: string; forMs: number }
  | { do: 'banner'; text: string | null }
  | { do: 'pill'; text: string }
  | { do: 'chat'; line: ChatLine }
  | { do: 'chatEnabled'; enabled: boolean }
  | { do: 'caption'; device: string; name: string; text: string; row: number }
  | { do: 'replaceCaptions' }
  /** From now on the page decodes the sound itself, or the browser does. */
  | { do: 'decode'; own: boolean }

export type FromPage =
  | SharedFromPage
  /** Whether a person would have to be asked for devices. */
  | { say: 'ready'; needsPrompt: boolean }
  | { say: 'join'; name: string; label: string }
  | { say: 'dialog'; dialog: DialogKind; choice: string }
  | { say: 'leave'; how: 'toolbar' | 'just-leave' | 'end-for-all' }
  | { say: 'final'; choice: string }
  | { say: 'chat'; text: string }
  | { say: 'captions'; on: boolean }
  | { say: 'decodes'; own: boolean }
