/** Where people speak in sound, by silero's detector, which knows voices from noise; by level where it is not installed. */
import { SAMPLE_RATE } from './engine.ts'
import { voiceDetectorOf } from './model.ts'
import { sherpa } from './sherpa.ts'

/** A stretch of voice. Sample numbers of the sound that was added. */
export interface Voice {
  start: number
  end: number
}

export interface VoiceDetector {
  /** Stretches that ended with this sound, in order. */
  add(samples: Float32Array): Voice[]
  /** Whether somebody speaks at the end of what was added. */
  readonly isSpeaking: boolean
  /** Those that the end of the sound ends. */
  flush(): Voice[]
  /** What comes next belongs to other speech. */
  reset(): void
}

/** A pause of this length ends a stretch. Seconds. */
const PAUSE = 0.5
const SHORTEST = 0.1
/** A stretch without a pause is cut before it is longer than recognizers like. Seconds. */
const LONGEST = 20
/** What the detector reads at once. */
const WINDOW = 512
/** The recorder's noise floor of -50 dB. */
const QUIET = 10 ** (-50 / 20)

/** An engine of the operator may hear more than voices. */
export function openDetector({ engine, models }: { engine: string; models: string }): VoiceDetector {
  const model = engine === 'sherpa-onnx-node' ? voiceDetectorOf(models) : null
  return model === null ? new LevelDetector() : new SileroDetector(model)
}

class SileroDetector implements VoiceDetector {
  readonly #detector: InstanceType<ReturnType<typeof sherpa>['Vad']>
  #rest = new Float32Array(0)

  constructor(model: string) {
    const sileroVad = {
      ...{ model, threshold: 0.5, minSpeechDuration: SHORTEST, minSilenceDuration: PAUSE },
      ...{ maxSpeechDuration: LONGEST, windowSize: WINDOW },
    }
    this.#detector = new (sherpa().Vad)({ sileroVad, sampleRate: SAMPLE_RATE, numThreads: 1, debug: 0 }, LONGEST * 3)
  }

  get isSpeaking(): boolean {
    return this.#detector.isDetected()
  }

  add(samples: Float32Array): Voice[] {
    const all = new Float32Array(this.#rest.length + samples.length)
    all.set(this.#rest)
    all.set(samples, this.#rest.length)
    const found: Voice[] = []
    let at = 0
    for (; at + WINDOW <= all.length; at += WINDOW) {
      this.#detector.acceptWaveform(all.slice(at, at + WINDOW))
      found.push(...this.#take())
    }
    this.#rest = all.slice(at)
    return found
  }

  flush(): Voice[] {
    this.#detector.flush()
    return this.#take()
  }

  reset(): void {
    this.#detector.reset()
    this.#rest = new Float32Array(0)
  }

  #take(): Voice[] {
    const found: Voice[] = []
    while (!this.#detector.isEmpty()) {
      const { start, samples } = this.#detector.front(false)
      this.#detector.pop()
      found.push({ start, end: start + samples.length })
    }
    return found
  }
}

class LevelDetector implements VoiceDetector {
  #at = 0
  #start: number | null = null
  #lastLoud = 0

  get isSpeaking(): boolean {
    return this.#start !== null
  }

  add(samples: Float32Array): Voice[] {
    const found: Voice[] = []
    for (const sample of samples) {
      this.#at++
      if (Math.abs(sample) > QUIET) {
        this.#start ??= this.#at
        this.#lastLoud = this.#at
      }
      if (this.#start === null) continue
      const isOver = this.#at - this.#lastLoud > PAUSE * SAMPLE_RATE || this.#at - this.#start > LONGEST * SAMPLE_RATE
      if (isOver) found.push(...this.flush())
    }
    return found
  }

  flush(): Voice[] {
    const voice = this.#start === null ? [] : [{ start: this.#start, end: this.#lastLoud }]
    this.#start = null
    return voice
  }

  reset(): void {
    this.#start = null
  }
}
