/** Words of transcription, the same for every provider. Times count in seconds from the recording's start. */

export interface Word {
  word: string
  start: number
  end: number
  /** 0 to 1; null if the provider gives none. */
  confidence: number | null
  /** No blank is between it and the previous word. */
  isGlued?: true
}

/** A provider's result for one file of sound. */
export interface Recognized {
  /** The provider's answer, unchanged. */
  raw: unknown
  /** In order of time, counted from the file's start. */
  words: Word[]
  /** The text, if the provider gives no times for it at all; `words` is empty then. */
  untimed?: string
  /** As the provider names it, such as `en` or `english`; null if it does not say. */
  language: string | null
}

/** A speech service. It offers one way at least; each is null if it does not. */
export interface SpeechProvider {
  /** For `transcription.json`, such as `Default`. */
  readonly name: string
  readonly afterwards: FileRecognition | null
  readonly live: LiveRecognition | null
}

interface FileRecognition {
  /** Longest file of sound that it takes in one piece, in seconds. */
  readonly maxSeconds: number
  /** Rejects with a plain sentence that names the host and never a key. Only transient failures are tried again. */
  transcribe(file: string, signal: AbortSignal): Promise<Recognized>
}

export interface LiveRecognition {
  /** Hertz of the sound that it takes. */
  readonly sampleRate: number
  /** Resolves when sound may be sent: mono, signed 16 bit little-endian. Rejects with a ProviderError. */
  open(listener: LiveListener, signal: AbortSignal): Promise<LiveConnection>
}

export interface LiveListener {
  heard(heard: HeardWords): void
  /** The connection is over, and not because we finished it; called once at most. `isForGood`: another one would not help. */
  lost(reason: string, isForGood?: boolean): void
}

export interface HeardWords {
  /** False if a later answer replaces it. */
  isFinal: boolean
  /** Seconds of the sound that was sent on this connection. */
  words: Word[]
  language: string | null
  /** The provider's message, unchanged. */
  raw: unknown
  /** Everything before this second has its final words. Absent: up to the last of these words. */
  until?: number
  /** So many finals come before the one that replaces these words; absent: none. */
  ahead?: number
}

export interface LiveConnection {
  send(samples: Uint8Array): void
  /** Another person speaks from here on, or the speaker pauses. Absent if the provider finds turns by itself. */
  cut?(): void
  /** Said while there is no sound to send, so that the provider does not hang up. */
  keepAlive(): void
  /**
   * Requests the words of the remaining sound and ends; they arrive before it resolves with true. False: some may be
   * missing. Repeatable, never rejects.
   */
  finish(signal: AbortSignal): Promise<boolean>
  /** Ends without waiting; repeatable. */
  close(): void
}

/** The words of one speaker between two pauses or two speaker changes. */
export interface Utterance {
  /** `Unknown` if no speaker was seen. */
  speaker: string
  /** The person's number as in `participants.json`; null if the speaker is unknown. */
  userId: number | null
  start: number
  end: number
  text: string
  language: string | null
  words: Word[]
}

/** A time span in which one person spoke, as in `diarization.jsonl`. */
export interface Turn {
  speaker: string
  userId: number | null
  start: number
  end: number
}

/** A stretch of the recording without its words. */
export interface Hole {
  start: number
  end: number
  /** Only the words of this person are missing; null: of everybody. */
  userId: number | null
  /** In one sentence. */
  reason: string
}
