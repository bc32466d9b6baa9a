/**
 * Types of the data that every platform's page script receives and reports; plain data in both directions. A platform
 * extends the snapshot, names its elements and may add its own calls.
 */

import type { PageTarget } from '@standin/wire/bot-fields.ts'
import type { RecordingMode } from '@standin/wire/codes.ts'
import type { PageNews } from '@standin/wire/page-bridge.ts'
import type { ChatMessage, MeetingEvent } from '../../../packages/core/meeting/meeting.ts'
import type { DegradationStep } from '../../../packages/core/ports.ts'
import type { PlaybackFault } from './audio/page-playback.ts'
import type { Census } from './dom/census.ts'
import type { PageTraffic } from './webrtc-traffic.ts'

/** Delay of received sound and picture: `even` keeps both in sync for a recording, `live` minimizes latency. */
export type Playout = 'even' | 'live'

export interface CommonConfig {
  /** Name of the event by which the driver calls. The page cannot guess it, and finds no trace of it by enumeration. */
  channel: string
  /** Hosts of the meeting, if the hooks are installed; on other hosts the script only reads signs. */
  meetingHosts: readonly string[]
  botName: string
  /** A data: URL, or null for none. */
  botImage: string | null
  recordingMode: RecordingMode
  playout: Playout
  /** `CaptureEnvironment.soundAheadMs` */
  soundAheadMs?: number | undefined
  /** Whether captions are reported. */
  captions?: boolean
  /** `DriverOptions.talks` */
  talks?: boolean
  /** The audio that is read in the page itself; left out: none. */
  audioTap?: AudioTapConfig
  /**
   * The worker that paints is served at `/<painter>.js` of the page's origin, see `platforms/browser/own-script.ts`.
   */
  painter: string
  /** Sends a text to the driver, where it listens; the page's own scripts never see it. */
  carry?: (payload: string) => void
  /** The platform's selectors in use. */
  selectors: Readonly<Record<string, string>>
  /** Sources of case-insensitive expressions for labels in use. */
  labels: Readonly<Record<string, string>>
}

interface AudioTapConfig {
  /** Samples per second of the mix of all participants; null if there is no listener. */
  mixRate: number | null
  /** Each person's voice in a separate track. */
  participantTracks: boolean
}

export interface DialogSnapshot {
  text: string
  isModal: boolean
  isPersistent: boolean
  buttons: DialogButton[]
}

interface DialogButton {
  label: string
  /** The name of the button's effect in the page's own code, such as `ok`; null if there is none. */
  action: string | null
  /** For `PageApi.reference`, until the next snapshot. */
  ref: number
}

export type DeviceState = 'on' | 'off' | 'problem' | 'absent'

/** The signs of any platform's page, gathered in one poll. */
export interface CommonSnapshot {
  /** UTC milliseconds. */
  at: number
  url: string
  lang: string
  /** Visible text by block, without what people wrote: chat, captions, tiles, lists of people, dialogs. */
  lines: string[]
  headings: string[]
  dialogs: DialogSnapshot[]
  /** Text of banners and short notices, if `lines` leave it out. */
  banners?: readonly string[]
  microphone: DeviceState
  camera: DeviceState
  /** Others in the meeting as far as known; null if the page does not say. */
  others: number | null
  /** Breakout rooms are open, and people may be in them; absent if the page does not say. */
  areRoomsOpen?: boolean
  /** Whether captions are shown; absent or null if the page does not say. */
  captionsOn?: boolean | null
  /** `CallControl.goneAt`; absent if the platform does not watch it. */
  callGoneAt?: number | null
  /** Signals that answered since the last snapshot, `packages/wire/page-signals.ts`; the driver knows others itself. */
  answered?: readonly string[]
  /** Whether the bot shares a screen, of which the page has a track. */
  sharesScreen?: boolean
  /** A connection receives sound; absent or null if the script does not know the connections. */
  receivesSound?: boolean | null
  /** Messages of the meeting's own channels that the script could not read, by channel; absent if it reads none. */
  unread?: Readonly<Record<string, number>>
}

/** The events that a page script observes. The driver adds the others. */
export type PageEvent = Extract<
  MeetingEvent,
  {
    type:
      | 'participant_joined'
      | 'participant_changed'
      | 'participant_left'
      | 'speaking'
      | 'chat_message'
      | 'chat_message_changed'
      | 'reaction'
      | 'hand_raised'
      | 'camera'
      | 'screen_share'
      | 'caption'
  }
>

export interface PageParticipant {
  id: string
  name: string
  isHost: boolean
  /** The platform's own mark of a bot; absent if it has none. */
  isBot?: boolean
}

export type PageChatMessage = ChatMessage

export interface NumberedPageEvent {
  number: number
  event: PageEvent
}

/** Which event the driver received last. */
export interface Acknowledgement {
  document: number
  number: number
}

/** Events that wait for the driver. */
export interface Delivery {
  /** Events after the number that was acknowledged, oldest first. */
  events: NumberedPageEvent[]
  /** Another number in every document: a page that was reloaded needs all settings again. */
  document: number
  hasBegun: boolean
  /** How many events of this document were dropped so far, because the driver did not ask in time. */
  dropped?: number
}

interface PageReport<Snapshot extends CommonSnapshot> extends Delivery {
  snapshot: Snapshot
}

export interface ChatState {
  isPanelOpen: boolean
  /** The page says in words that chat is off for the bot; there is no box to wait for. */
  isOff?: boolean
  /** The panel shows a frame of another product, whose messages the bot neither reads nor writes. */
  isElsewhere?: boolean
  box: { isEnabled: boolean; value: string } | null
  /** The bot's own messages as the page shows them. */
  own: { id: string; text: string }[]
}

/** The driver's calls of every platform's script. */
export interface PageApi<Snapshot extends CommonSnapshot = CommonSnapshot, Name extends string = string> {
  /** `now` is the driver's time in UTC milliseconds, which the page follows; null if it does not matter. */
  report(acknowledged: Acknowledgement | null, now: number | null): PageReport<Snapshot>
  element(name: Name): Element | null
  /** A button of a dialog of the latest snapshot. */
  reference(ref: number): Element | null
  /** From admission on events are reported; people who are there count as present since `at` (UTC milliseconds). */
  begin(at: number): void
  /** The text box of the chat, if it is there, and the bot's own messages as the page shows them. */
  chat(): ChatState
  /** See `Composite`; null also if there is none. */
  openFrames(painter: string, size: { width: number; height: number }): Promise<string | null>
  closeFrames(): void
  /** Why no frames are painted any more; null while they are, and if none are wanted. */
  framesFault(): string | null
  /** Paints the recorded picture as frames, of a page that may not be the meeting yet; resolves when it is painted. */
  paintAhead(): Promise<void>
  /** Shows the recorded picture over the page; resolves when it is painted. */
  showComposite(): Promise<void>
  /** The recorded picture, a PNG in base64; null while the screen shows it. */
  compositePng(): Promise<string | null>
  setDegradationStep(step: DegradationStep): void
  /** `words` are sources of expressions by name. */
  census(words: Readonly<Record<string, string>>): Census
  /** The page without people's content, as HTML; `known` are sources of expressions of known wording. */
  structure(known: readonly string[]): string
  /** Plays mono PCM (base64 of 16-bit little-endian samples) through the bot's microphone; returns the seconds queued. */
  playSound(pcm: string, sampleRate: number): number
  clearSound(): void
  /** Plays again what the page has stopped or muted; resolves with what was put right. */
  restoreSound(): Promise<PlaybackFault[]>
  /** Of the page's WebRTC connections. */
  traffic(): Promise<PageTraffic>
  /**
   * Captures the tab that bears the browser's mark, under a number of the driver's choice; to be called with a user's
   * gesture. Empty, or why it cannot.
   */
  captureTab(id: number): Promise<string>
  /** Camera or screen, and voice of the bot are this captured tab; the one before is released. */
  showTab(id: number, target: PageTarget): void
  /** Repeatable. The bot has its picture again, or shares no screen any more, if it showed this tab. */
  releaseTab(id: number): void
  /** Whether the page gets the screen if it asks for a display; once. Else it is refused. */
  offerScreen(isOn: boolean): void
  /** Whether the page has taken the screen, and not stopped it. */
  sharesScreen(): boolean
  /** Whether the sound of all participants is carried to the driver for a page that the bot shows. */
  hearMeeting(isOn: boolean): void
  /** A data: URL for the bot's camera; rejects if it cannot be decoded, and the old picture stays. */
  showImage(dataUrl: string): Promise<void>
}

/** The driver's calls of the script in a page that the bot shows. */
export interface ShownPageApi {
  /** The next piece of the meeting's sound: mono PCM at 48 kHz, base64 of 16-bit little-endian samples. */
  hear(pcm: string): void
  tell(news: readonly PageNews[]): void
  /** To a call of the page, by its number: `problem` is a sentence if it failed. */
  answer(id: number, answer: { data?: unknown; problem?: string }): void
}
