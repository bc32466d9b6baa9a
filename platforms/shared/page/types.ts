/**
 * What every platform's page script is told and tells; plain data on both ways. A platform extends the signs, names its
 * elements and may add calls of its own.
 */

import type { RecordingMode } from '@standin/wire/codes.ts'
import type { ChatMessage, MeetingEvent } from '../../../src/meeting/meeting.ts'
import type { DegradationStep } from '../../../src/ports.ts'

/** What received sound and picture wait for: `even` for a recording in step, `live` to be heard soon. */
export type Playout = 'even' | 'live'

export interface CommonConfig {
  /** Name of the event by which the driver calls; nobody can guess it, and nothing of it can be enumerated. */
  channel: string
  /** Where the meeting's hooks belong; on other hosts the script only reads signs. */
  meetingHosts: readonly string[]
  botName: string
  /** A data: URL, or null for none. */
  botImage: string | null
  recordingMode: RecordingMode
  playout: Playout
  /** `CaptureEnvironment.soundAheadMs` */
  soundAheadMs?: number | undefined
  /** What captions say is told. */
  captions?: boolean
  /** What is to be heard in the page itself; left out: nothing. */
  audioTap?: AudioTapConfig
  /** The worker that paints lies at `/<painter>.js` of the page's origin, see `platforms/browser/own-script.ts`. */
  painter: string
  /** Hands a text to the driver, where it listens; the page's own scripts never see it. */
  carry?: (payload: string) => void
  /** Of the platform's `selectors.ts`. */
  selectors: Readonly<Record<string, string>>
  /** Sources of case-insensitive expressions for labels, of the platform's `words.ts`. */
  labels: Readonly<Record<string, string>>
}

export interface AudioTapConfig {
  /** Samples per second of everybody's sound together; null where nobody wants it. */
  mixRate: number | null
  /** Each person's voice apart. */
  participantTracks: boolean
}

export interface DialogSnapshot {
  text: string
  isModal: boolean
  isPersistent: boolean
  buttons: DialogButton[]
}

export interface DialogButton {
  label: string
  /** What the page's own code calls the button's effect, such as `ok`; null where it says nothing. */
  action: string | null
  /** For `PageApi.reference`, until the next look. */
  ref: number
}

export type DeviceState = 'on' | 'off' | 'problem' | 'absent'

/** What one look at any platform's page tells, gathered in one go. */
export interface CommonSnapshot {
  /** UTC milliseconds. */
  at: number
  url: string
  lang: string
  /** Visible text by block, without what people wrote: chat, captions, tiles, lists of people, dialogs. */
  lines: string[]
  headings: string[]
  dialogs: DialogSnapshot[]
  microphone: DeviceState
  camera: DeviceState
  /** Others in the meeting as far as known; null where the page does not say. */
  others: number | null
  /** Whether captions are shown; absent or null where the page does not say. */
  captionsOn?: boolean | null
  /** `CallControl.goneAt`; absent where nobody looks for it. */
  callGoneAt?: number | null
  /** Messages of the meeting's own channels that the script could not read, by channel; absent where it reads none. */
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
  /** The platform's own mark of a bot; absent where it has none. */
  isBot?: boolean
}

export type PageChatMessage = ChatMessage

export interface NumberedPageEvent {
  number: number
  event: PageEvent
}

/** What waits for the driver. */
export interface Delivery {
  /** Events after the number that was acknowledged, oldest first. */
  events: NumberedPageEvent[]
  /** Another number in every document: a page that was loaded anew has to be told everything again. */
  document: number
  hasBegun: boolean
  /** How many events of this document were dropped so far, because the driver did not ask in time. */
  dropped?: number
}

export interface PageReport<Snapshot extends CommonSnapshot> extends Delivery {
  snapshot: Snapshot
}

export interface ChatState {
  isPanelOpen: boolean
  /** The page says in words that nobody may write; there is no box to wait for. */
  isOff?: boolean
  box: { isEnabled: boolean; value: string } | null
  /** The bot's own messages as the page shows them. */
  own: { id: string; text: string }[]
}

/** What the driver can ask of every platform's script. */
export interface PageApi<Snapshot extends CommonSnapshot = CommonSnapshot, Name extends string = string> {
  report(acknowledged: number): PageReport<Snapshot>
  element(name: Name): Element | null
  /** A button of a dialog of the latest snapshot. */
  reference(ref: number): Element | null
  /** From admission on events are told; who is there is there since `at` (UTC milliseconds). */
  begin(at: number): void
  /** The text box of the chat, if it is there, and the bot's own messages as the page shows them. */
  chat(): ChatState
  /** Of the composite, see there; null also where there is none. */
  openFrames(painter: string, size: { width: number; height: number }): Promise<string | null>
  closeFrames(): void
  /** Why no frames are painted any more; null while they are, and where none are wanted. */
  framesFault(): string | null
  /** Paints the recording's picture as frames, of a page that may not be the meeting yet; resolves when it is painted. */
  paintAhead(): Promise<void>
  /** Lays the recording's picture over the page; resolves when it is painted. */
  showComposite(): Promise<void>
  /** What is recorded, a PNG in base64; null while the screen shows it. */
  compositePng(): Promise<string | null>
  setDegradationStep(step: DegradationStep): void
  /** Plays mono PCM (base64 of 16-bit little-endian samples) through the bot's microphone; returns the seconds queued. */
  playSound(pcm: string, sampleRate: number): number
  clearSound(): void
  /** A data: URL for the bot's camera; rejects where it cannot be decoded, and the old picture stays. */
  showImage(dataUrl: string): Promise<void>
}
