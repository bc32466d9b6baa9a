/** The process of a voice model: texts come over the channel to its parent, one at a time, and their sound goes back. */
import { createRequire } from 'node:module'
import { messageOf } from '@standin/wire/text/error-text.ts'
import { giveWay } from '../../packages/core/process/give-way.ts'
import type { SynthesizerMessage } from './model.ts'

/** What is used of the package. Source: its `types.js`. */
interface Synthesizer {
  generate(request: { text: string; sid: number; speed: number; enableExternalBuffer: boolean }): {
    samples: Float32Array
    sampleRate: number
  }
}
export interface Engine {
  OfflineTts: new (config: object) => Synthesizer
}

giveWay()
process.on('disconnect', () => process.exit(0))

const [model = '{}', engine = 'sherpa-onnx-node'] = process.argv.slice(2)
const send = (message: SynthesizerMessage) => process.send?.(message)

function attempt(work: () => void): void {
  try {
    work()
  } catch (error) {
    send({ type: 'problem', message: messageOf(error) })
  }
}

attempt(() => {
  const { OfflineTts } = createRequire(import.meta.url)(engine) as Engine
  const synthesizer = new OfflineTts({
    model: { ...JSON.parse(model), numThreads: 1, provider: 'cpu', debug: 0 },
    maxNumSentences: 1,
  })
  process.on('message', ({ text, voice }: { text: string; voice: number }) =>
    attempt(() => {
      const made = synthesizer.generate({ text, sid: voice, speed: 1, enableExternalBuffer: false })
      send({ type: 'sound', samples: made.samples, sampleRate: made.sampleRate })
    }),
  )
  send({ type: 'ready' })
})
