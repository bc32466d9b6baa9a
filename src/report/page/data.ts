/** The data of the report, as JSON in the page. Times are seconds from the recording's start. */
export interface ReportData {
  /** Such as `Google Meet abc-defg-hij`. */
  meeting: string
  botName: string
  /** UTC instant of the first frame, ISO 8601; null if nothing was recorded. */
  startedAt: string | null
  /** Length of the recording, pauses removed. */
  seconds: number
  /** File beside the page; null if nothing was recorded. */
  media: { kind: 'video' | 'audio'; file: string } | null
  /** `data:` address of the picture that the player shows until it plays. */
  poster: string | null
  /** How the recording ended, in one sentence. */
  end: string
  people: ReportPerson[]
  turns: { person: number; name: string; from: number; to: number; confidence: number }[]
  chat: ReportMessage[]
  /** Reactions to all and raised hands; `person` is null if the meeting gave only a name. */
  signs: { person: number | null; name: string; at: number | null; sign: string; text: string }[]
  /** Empty without a transcript. */
  utterances: { name: string; from: number; to: number; text: string }[]
  /** Parts of the meeting that are missing in the recording. */
  gaps: { at: number; seconds: number }[]
  /** Pairs of a measurement and its value, in words. */
  quality: [string, string][]
}

interface ReportPerson {
  id: number
  name: string
  isHost: boolean
  /** File of this voice alone, beside the page; null if there is none. */
  voice: string | null
  visits: { from: number | null; to: number | null }[]
}

export interface ReportMessage {
  name: string
  at: number | null
  /** Empty for a deleted message. */
  text: string
  isBot: boolean
  isDirect: boolean
  isEdited: boolean
  isDeleted: boolean
  isCut: boolean
  /** Sender and beginning of the message that it replies to; null for none. */
  answers: string | null
  links: { text: string; url: string }[]
  files: { name: string; bytes: number | null }[]
  /** Such as `👍 2`. */
  reactions: string[]
}
