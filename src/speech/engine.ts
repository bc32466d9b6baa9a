/** A recognizer of speech. `STANDIN_SPEECH_ENGINE` names a module that exports `openEngine`; it runs in a separate process. */

/** Hertz of all sound in this room: mono, from -1 to 1. */
export const SAMPLE_RATE = 16_000

export interface Engine {
  /** The words of one turn, which lasts at most half a minute. */
  recognize(samples: Float32Array): EngineText | Promise<EngineText>
}

export interface EngineText {
  text: string
  /** Times in seconds of the turn, if the engine knows them. */
  words?: { word: string; start: number; end: number }[]
  language?: string | null
}

/** Rejects with a sentence for the operator if the model cannot be loaded. */
export type OpenEngine = (modelFolder: string) => Promise<Engine>
