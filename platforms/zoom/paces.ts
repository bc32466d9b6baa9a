/** Limits and intervals for Zoom, in milliseconds. Source: docs/platform-notes/zoom.md#timing. */
import type { Waits } from '../shared/waits.ts'

/** Waits that differ from the usual ones. */
export const ZOOM_WAITS: Readonly<Partial<Waits>> = {
  // Heavy start: two reloads of a stalled page have to fit in.
  preJoinMs: 180_000,
  unknownPageMs: 90_000,
  devicesMs: 6000,
  // A click at the moment when the button is enabled has no effect.
  joinClickMs: 3000,
  holdAfterLobbyMs: 4000,
  holdWithoutLobbyMs: 6000,
  reconnectMs: 60_000,
  captchaMs: 5000,
  callErrorMs: 8000,
  // The toolbar hides after each move of the pointer, and a dialog may cover it.
  chatOpenMs: 8000,
}

export const ZOOM_PACES = {
  /**
   * Interval between two attempts with a link that Zoom calls invalid, which may be a meeting that has not started; and
   * the limit for all of them.
   */
  deadLinkRetryMs: 15_000,
  deadLinkMs: 600_000,
  /** How long a page may be empty, and how long it may stay unchanged, before it is loaded again. */
  blankMs: 12_000,
  stallMs: 25_000,
  reloads: 2,
  /** Interval between two keys of the name. */
  keyMs: 50,
  /** By then the form has looked for devices; before that it loses typed text. */
  formMs: 6000,
  /** Sound joins by itself within this time, or the bot has to join it. */
  audioMs: 2500,
  /** After so long back in the waiting room, the meeting is over for the bot. */
  onHoldMs: 600_000,
  /** Interval between two attempts to open a panel or to change the view. */
  controlMs: 3000,
}

export type ZoomPaces = Readonly<typeof ZOOM_PACES>
