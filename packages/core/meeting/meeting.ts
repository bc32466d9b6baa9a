/** Words of a meeting, the same for every platform. Nothing here knows a page, a process or a wire format. */

import type { PlatformName } from '@standin/wire/platforms.ts'
import type { Reason } from '@standin/wire/reasons.ts'

/** A link that was recognized and normalized; only `packages/wire/meeting-links` makes one. */
export interface MeetingTarget {
  platform: PlatformName
  /** The canonical address the browser opens. */
  url: string
  /** The platform's own name of the meeting, such as `abc-defg-hij`. */
  meetingId: string
  /** As people type it, if the text had it beside the link; a form may ask for it. A secret. */
  passcode?: string
}

/** The id of the bot itself in what is noted of its own speech: no platform gives one like it. */
export const OWN_ID = 'standin/bot'

export interface Participant {
  /** The platform's identifier, stable while the person is in the meeting. Names are not unique, ids are. */
  id: string
  /** As shown by the platform, badges removed; text, never markup. `Unknown` where the platform gives none. */
  name: string
  isHost?: boolean
  /** The platform itself marks it as a bot; absent if the platform has no such mark. */
  isBot?: boolean
}

/** Where a statement about speech comes from. */
export type SpeakerSource = 'csrc' | 'page' | 'captions' | 'audio_level'

/** Content of a message. Absent fields are unknown; a list that is present is complete. */
export interface ChatContent {
  /** As written: line ends, emoji and `@Name` are characters. Empty for a deleted message, and for files alone. */
  text: string
  /** The text continues after the part that is kept. */
  isCut?: boolean
  /** Targets of its links: http, https and mailto only. Other links of the page are text only. */
  links?: readonly ChatLink[]
  /** Named, never fetched. */
  files?: readonly ChatFile[]
  reactions?: readonly ChatReaction[]
  /** The message that this one answers, by its id. */
  replyTo?: string
  isEdited?: boolean
  isDeleted?: boolean
}

export interface ChatLink {
  /** The visible text, which may show another address. */
  text: string
  url: string
}

export interface ChatFile {
  name: string
  url: string | null
  bytes: number | null
}

export interface ChatReaction {
  emoji: string
  count: number
  /** Those who reacted so, as far as the platform tells. */
  participantIds: readonly string[]
}

export interface ChatMessage extends ChatContent {
  /** The platform's identifier, the key against duplicates. */
  id: string
  senderId: string | null
  senderName: string
  /** UTC instant in milliseconds since 1970; before the bot came for what a platform shows of earlier. */
  at: number
  /** Sent by this bot. */
  isOwn: boolean
  /** Sent to the bot or to some participants, not to all. */
  isDirect?: boolean
}

/** Why the platform says the meeting is over for the bot. */
export type MeetingEnd =
  | 'removed'
  | 'ended_for_all'
  | 'everyone_left'
  /** The user on whose behalf the bot was there left, and the platform sent the bot out. */
  | 'authorized_user_left'

/**
 * An observation of the driver, which repeats what a new document repeats. `at` is a UTC instant in milliseconds since 1970, as near to the cause as possible. The
 * bot itself is never among the participants.
 */
export type MeetingEvent =
  | { type: 'participant_joined'; participant: Participant; at: number }
  | { type: 'participant_changed'; participant: Participant; at: number }
  | { type: 'participant_left'; participantId: string; at: number }
  /** Weighed from several signals; `confidence` is 0 to 1. */
  | {
      type: 'speaking'
      participantId: string
      isSpeaking: boolean
      source: SpeakerSource
      confidence: number
      at: number
    }
  /** Sound of this participant begins or pauses: sooner than `speaking`, for bots that talk with people. */
  | { type: 'voice'; participantId: string; isHeard: boolean; at: number }
  | { type: 'chat_message'; message: ChatMessage }
  /** Edited, deleted or reacted to; `content` is the whole of what it says now. */
  | { type: 'chat_message_changed'; messageId: string; content: ChatContent; at: number }
  /** An emoji in the meeting, not on a message. The id is null if the platform gives a name that two may have. */
  | { type: 'reaction'; participantId: string | null; name: string; emoji: string; at: number }
  | { type: 'hand_raised'; participantId: string | null; name: string; isRaised: boolean; at: number }
  /**
   * The platform's captions, if the job asked for them. The text of one `key` grows and is corrected while it is
   * spoken; of a long text only the end is sent.
   */
  | {
      type: 'caption'
      key: string
      /** Null if the platform gives a name that two may have, or none. */
      participantId: string | null
      /** Empty if the platform gives none. */
      name: string
      text: string
      isFinal: boolean
      at: number
      /** When the row's first word was said, where the platform tells. */
      startedAt?: number
    }
  /** Captions were asked for, and are on or cannot be had. */
  | { type: 'captions'; areOn: boolean; at: number }
  | { type: 'chat_availability'; isAvailable: boolean; at: number }
  /** The camera of this participant was seen. Told once. */
  | { type: 'camera'; participantId: string; at: number }
  | { type: 'screen_share'; participantId: string | null; isSharing: boolean; at: number }
  /**
   * The page was reloaded, and lists again who and what it shows, perhaps with other ids; `lastAt` is when the driver
   * last saw the old one.
   */
  | { type: 'new_document'; lastAt: number; at: number }
  /** The page had more events, mostly chat messages, than it could keep until it was asked. */
  | { type: 'events_dropped'; count: number; at: number }
  /** So many answers or events of the page, so far, could not be what they should be, and were left out. */
  | { type: 'events_refused'; count: number; at: number }
  /** Messages of these channels of the platform cannot be read: its protocol may have changed. */
  | { type: 'unread_messages'; channels: readonly string[]; at: number }
  /** The host muted the bot. */
  | { type: 'muted_by_host'; at: number }
  /**
   * Sent about once a second while the page answers: the observer is healthy. `others` is how many participants other
   * than the bot are present, or null if the page does not say just now (unknown is not gone). `areRoomsOpen`: the
   * meeting has breakout rooms, so people who are not here may be in another room.
   */
  | { type: 'heartbeat'; others: number | null; areRoomsOpen?: boolean; at: number }
  | { type: 'connection'; state: 'lost' | 'recovered'; at: number }
  /** The last event of a meeting. `codeBeforeRecording` is its code if nothing was recorded yet and the platform has one. */
  | {
      type: 'ended'
      end: MeetingEnd
      text: string
      at: number
      codeBeforeRecording?: 'MEETING_ENDED_PREMATURELY'
      /** If the page said why. */
      reason?: Reason
    }
  /**
   * The page or the browser crashed, or the connection was lost. A BotError with `canRetry` says that a new browser may
   * continue in the same meeting.
   */
  | { type: 'failed'; error: Error; at: number }
