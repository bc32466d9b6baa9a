/** Plays mixed sound that comes over the page's socket (mono, 16-bit, 16 kHz), without audio elements or receivers. */
export class WorkletPlayer {
  private readonly processor: string
  private node: AudioWorkletNode | null = null

  /** One of the names in `worklet.entry.ts`. */
  constructor(processor = 'mixer') {
    this.processor = processor
  }

  /**
   * @param path where the server has the bundle `mock/shared/worklet`
   * @param target the node that receives the sound
   */
  async start(output: AudioContext, path: string, target: AudioNode = output.destination): Promise<void> {
    if (this.node) return
    await output.audioWorklet.addModule(path)
    this.node = new AudioWorkletNode(output, this.processor, { numberOfInputs: 0, outputChannelCount: [1] })
    this.node.connect(target)
  }

  play(samples: ArrayBuffer): void {
    this.node?.port.postMessage(samples, [samples])
  }

  stop(): void {
    this.node?.disconnect()
    this.node = null
  }
}
