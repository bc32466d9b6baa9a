/** What the report knows; it stands in the page as JSON. Times count in seconds from the recording's start. */
export interface ReportData {
  /** Such as `meet.google.com/abc-defg-hij`. */
  meeting: string
  botName: string
  /** UTC instant of the first frame, ISO 8601; null where nothing was recorded. */
  startedAt: string | null
  /** Length of the recording, pauses removed. */
  seconds: number
  /** File beside the page; null where there is none. */
  media: { kind: 'video' | 'audio'; file: string } | null
  /** How the recording ended, in one sentence. */
  end: string
  people: { id: number; name: string; isHost: boolean; visits: { from: number | null; to: number | null }[] }[]
  turns: { person: number; name: string; from: number; to: number; confidence: number }[]
  chat: { name: string; at: number | null; text: string; isBot: boolean }[]
  /** Of the transcript, where there is one. */
  utterances: { name: string; from: number; to: number; text: string }[]
  /** Pairs of what was measured and its value, in words. */
  quality: [string, string][]
}
