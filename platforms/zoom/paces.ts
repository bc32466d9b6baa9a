/** Limits and paces of Zoom, in milliseconds. Source: docs/platform-notes/zoom.md#timing. */
import type { Waits } from '../shared/waits.ts'

/** Where Zoom differs from what is common. */
export const ZOOM_WAITS: Readonly<Partial<Waits>> = {
  // Heavy start: two reloads of a stalled page have to fit in.
  preJoinMs: 180_000,
  unknownPageMs: 90_000,
  devicesMs: 6000,
  // A click at the moment of enabling does nothing.
  joinClickMs: 3000,
  holdAfterLobbyMs: 4000,
  holdWithoutLobbyMs: 6000,
  reconnectMs: 60_000,
  captchaMs: 5000,
  callErrorMs: 8000,
  // The toolbar hides after each move of the pointer, and a dialog may lie over it.
  chatOpenMs: 8000,
}

export interface ZoomPaces {
  /** Between two tries of a link that Zoom calls invalid, which may be a meeting that has not started; and all of them. */
  deadLinkRetryMs: number
  deadLinkMs: number
  /** A page that shows nothing, and one that does not change, before it is loaded again. */
  blankMs: number
  stallMs: number
  reloads: number
  /** Between two keys of the name. */
  keyMs: number
  /** The form has looked for devices by then; earlier it loses what is typed. */
  formMs: number
  /** Sound is joined by itself within this time, or has to be joined. */
  audioMs: number
  /** Back in the waiting room for so long, the meeting is over for the bot. */
  onHoldMs: number
  /** Between two tries to open a panel or to change the view. */
  controlMs: number
}

export const ZOOM_PACES: Readonly<ZoomPaces> = {
  deadLinkRetryMs: 15_000,
  deadLinkMs: 600_000,
  blankMs: 12_000,
  stallMs: 25_000,
  reloads: 2,
  keyMs: 50,
  formMs: 6000,
  audioMs: 2500,
  onHoldMs: 600_000,
  controlMs: 3000,
}
