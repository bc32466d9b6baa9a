/**
 * The messages between every mock page and its server, over the page's WebSocket. Each platform adds its own messages.
 * Types only: both sides import this file, and it leaves no trace in the page's DOM.
 */

/** Which of the page's video transceivers carries whose picture, in the platform's own word for the source. */
export interface Slot {
  mid: string
  source: string
}

export type SharedToPage =
  | { do: 'answer'; offer: number; sdp: string }
  | { do: 'slots'; slots: Slot[] }
  /** Streams came or went: the page offers again, with at least this many lines to receive on. */
  | { do: 'renegotiate'; audio: number; video: number }
  | { do: 'restartMedia' }
  | { do: 'stopMedia' }
  | { do: 'devices'; microphone?: boolean; camera?: boolean }
  /** Request devices from the browser, and turn on those that are named. */
  | { do: 'acquire'; microphone: boolean; camera: boolean }
  | { do: 'allowScreen'; isAllowed: boolean }
  /** A host stops the screen that the page shares. */
  | { do: 'stopScreen' }
  | { do: 'freeze'; ms: number }
  | { do: 'navigate'; url: string }

export interface LogMessage {
  say: 'log'
  event: 'click' | 'fill' | 'key' | 'rpc'
  target: string
  trusted?: boolean
  detail?: string
}

export interface OfferMessage {
  say: 'offer'
  /** Counted by the page; the answer names it. */
  offer: number
  sdp: string
  /** Of a connection that was answered before. */
  again: boolean
}

export type SharedFromPage =
  | { say: 'hello'; url: string }
  | LogMessage
  | OfferMessage
  | { say: 'devices'; microphone: boolean; camera: boolean }
  /** The line of the page's own shared screen; null while it shares none. */
  | { say: 'screen'; mid: string | null }
  /** Whether the server sends pictures to the page. Default: true. */
  | { say: 'incomingVideo'; on: boolean }
  /** Heights in pixels in which the page shows the pictures of its video transceivers; the others are not shown. */
  | { say: 'sizes'; sizes: { mid: string; height: number }[] }
