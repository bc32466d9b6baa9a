/** The answer of a link's reading. */
import type { PlatformName } from '../platforms.ts'

/** A meeting as its platform's reader gives it. */
export interface MeetingOfLink {
  platform: PlatformName
  /** The one address that the browser opens. */
  url: string
  /** The platform's own name of the meeting, such as `abc-defg-hij`. */
  meetingId: string
  /** Equal for all spellings of one meeting, different for different meetings. */
  key: string
  /** As people type it, if the text has it beside the link; a form may ask for it. A secret. */
  passcode?: string
}

/** One sentence for the person who gave the link. */
export interface Refused {
  problem: string
}
