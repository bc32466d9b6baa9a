/** Words of transcription, the same for every provider. Times count in seconds from the recording's start. */

export interface Word {
  word: string
  start: number
  end: number
  /** 0 to 1; null where the provider gives none. */
  confidence: number | null
}

/** What a provider made of one file of sound. */
export interface Recognized {
  /** The provider's answer, unchanged. */
  raw: unknown
  /** In order of time, counted from the file's start. */
  words: Word[]
  /** As the provider names it, such as `en` or `english`; null where it does not say. */
  language: string | null
}

export interface SpeechProvider {
  /** For `transcription.json`, such as `Default`. */
  readonly name: string
  /** Longest file of sound that it takes in one piece, in seconds. */
  readonly maxSeconds: number
  /** Rejects with a plain sentence that names the host and never a key. Only transient failures are tried again. */
  transcribe(file: string, signal: AbortSignal): Promise<Recognized>
}

/** Somebody's words between two pauses or two speakers. */
export interface Utterance {
  /** `Unknown` where nobody was seen to speak. */
  speaker: string
  start: number
  end: number
  text: string
  language: string | null
  words: Word[]
}

/** A stretch in which somebody spoke, as `diarization.jsonl` has it. */
export interface Turn {
  speaker: string
  start: number
  end: number
}
