/** Words of a meeting, the same for every platform. Nothing here knows a page, a process or a wire format. */

export type PlatformName = 'meet' | 'teams' | 'zoom' | 'jitsi'

/** A link that was recognized and normalized; only `platforms/` makes one. */
export interface MeetingTarget {
  platform: PlatformName
  /** The canonical address the browser opens. */
  url: string
  /** The platform's own name of the meeting, such as `abc-defg-hij`. */
  meetingId: string
  /** As people type it, where the text had it beside the link; a form may ask for it. A secret. */
  passcode?: string
}

export interface Participant {
  /** The platform's identifier, stable while the person is in the meeting. Names are not unique, ids are. */
  id: string
  /** As shown by the platform, badges removed; text, never markup. `Unknown` where the platform gives none. */
  name: string
  isHost?: boolean
}

/** Where a statement about speech comes from. */
export type SpeakerSource = 'csrc' | 'page' | 'captions' | 'audio_level'

export interface ChatMessage {
  /** The platform's identifier, the key against duplicates. */
  id: string
  senderId: string | null
  senderName: string
  text: string
  /** UTC instant in milliseconds since 1970. */
  at: number
  /** Sent by this bot. */
  isOwn: boolean
}

/** Why the platform says the meeting is over for the bot. */
export type MeetingEnd =
  | 'removed'
  | 'ended_for_all'
  | 'everyone_left'
  /** The user on whose behalf the bot was there left, and the platform sent the bot out. */
  | 'authorized_user_left'

/**
 * What a driver saw. `at` is a UTC instant in milliseconds since 1970, taken as near to the cause as the driver can.
 * The bot itself is never among the participants.
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
  | { type: 'chat_message'; message: ChatMessage }
  | { type: 'chat_availability'; isAvailable: boolean; at: number }
  | { type: 'screen_share'; participantId: string | null; isSharing: boolean; at: number }
  /** The host muted the bot. */
  | { type: 'muted_by_host'; at: number }
  /**
   * Sent about once a second while the page answers: the observer is healthy. `others` is how many participants other
   * than the bot are present, or null where the page does not say just now (unknown is not gone).
   */
  | { type: 'heartbeat'; others: number | null; at: number }
  | { type: 'connection'; state: 'lost' | 'recovered'; at: number }
  /** The last event of a meeting. `codeBeforeRecording` is its code where nothing was recorded yet and the platform has one. */
  | { type: 'ended'; end: MeetingEnd; text: string; at: number; codeBeforeRecording?: 'MEETING_ENDED_PREMATURELY' }
  /** The page or the browser broke, or the connection did not come back. */
  | { type: 'failed'; error: Error; at: number }
