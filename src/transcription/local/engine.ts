/** A recognizer on this machine. `STANDIN_SPEECH_ENGINE` names a module that exports `openEngine`; it runs in a separate process. */

export interface Engine {
  /** Hertz of the sound that it takes. */
  readonly sampleRate: number
  begin(): EngineTurn
}

export interface EngineTurn {
  /** The text so far, which later calls may change; empty if the engine recognizes whole turns only. */
  add(samples: Float32Array<ArrayBuffer>): string
  end(): EngineText
}

export interface EngineText {
  text: string
  /** Times in seconds of the turn, if the engine knows them. */
  words?: { word: string; start: number; end: number }[]
  language?: string | null
}

/** Rejects with a sentence for the operator if the model cannot be loaded. */
export type OpenEngine = (modelFolder: string) => Promise<Engine>
