/** Plays the mixed sound that the page is sent, for the variant without audio elements. Runs in the audio thread. */

interface Processor {
  readonly port: MessagePort
}
declare const AudioWorkletProcessor: new () => Processor
declare const registerProcessor: (name: string, processor: unknown) => void
declare const sampleRate: number

/** Samples a second of what arrives. */
const SOURCE_RATE = 16_000
const MAX_QUEUE_SECONDS = 1
/** Pieces come unevenly: so much is there before any is played. */
const AHEAD_SECONDS = 0.12

class Mixer extends AudioWorkletProcessor {
  private queue: number[] = []
  private position = 0
  private isPlaying = false

  constructor() {
    super()
    this.port.onmessage = ({ data }: MessageEvent<ArrayBuffer>) => {
      for (const sample of new Int16Array(data)) this.queue.push(sample / 32768)
      const excess = this.queue.length - SOURCE_RATE * MAX_QUEUE_SECONDS
      if (excess > 0) this.queue.splice(0, excess)
    }
  }

  process(_inputs: Float32Array[][], outputs: Float32Array[][]): boolean {
    const channel = outputs[0]?.[0]
    if (!channel) return true
    if (this.queue.length === 0) this.isPlaying = false
    this.isPlaying ||= this.queue.length >= SOURCE_RATE * AHEAD_SECONDS
    if (!this.isPlaying) return true
    const step = SOURCE_RATE / sampleRate
    for (let index = 0; index < channel.length; index++) {
      const at = Math.floor(this.position)
      const here = this.queue[at] ?? 0
      const next = this.queue[at + 1] ?? here
      channel[index] = here + (next - here) * (this.position - at)
      if (at < this.queue.length) this.position += step
    }
    const used = Math.min(Math.floor(this.position), this.queue.length)
    this.queue.splice(0, used)
    this.position -= used
    return true
  }
}

registerProcessor('mixer', Mixer)
registerProcessor('neteq-processor', class extends Mixer {})
