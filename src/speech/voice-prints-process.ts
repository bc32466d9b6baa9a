/** The process of a model of voices: the stretches of one recording come over the channel, and their prints go back. */
import { messageOf } from '@standin/wire/text/error-text.ts'
import { giveWay } from '../../packages/core/process/give-way.ts'
import type { Print } from '../transcription/told-apart.ts'
import { SAMPLE_RATE } from './engine.ts'
import { soundOf } from './recording.ts'
import { sherpa } from './sherpa.ts'
import type { PrintsMessage, PrintsWanted } from './voice-prints.ts'

giveWay()
process.on('disconnect', () => process.exit(0))

async function printsOf({ file, stretches }: PrintsWanted): Promise<Print[]> {
  const [model = ''] = process.argv.slice(2)
  const extractor = new (sherpa().SpeakerEmbeddingExtractor)({ model, numThreads: 1, provider: 'cpu', debug: 0 })
  const prints: Print[] = []
  const print = (samples: Float32Array[]): Print => {
    const stream = extractor.createStream()
    for (const part of samples) stream.acceptWaveform({ samples: part, sampleRate: SAMPLE_RATE })
    stream.inputFinished()
    return extractor.compute(stream, false)
  }
  let waiting = stretches.map(({ start, end }, index) => ({
    ...{ index, from: Math.round(start * SAMPLE_RATE), to: Math.round(end * SAMPLE_RATE) },
    parts: [] as Float32Array[],
  }))
  const finish = (until: number) => {
    for (const { index, to, parts } of waiting) if (to <= until) prints[index] = print(parts)
    waiting = waiting.filter(({ to }) => to > until)
  }
  let at = 0
  for await (const samples of soundOf(file, new AbortController().signal)) {
    const until = at + samples.length
    for (const { from, to, parts } of waiting) {
      if (from >= until) break
      const part = samples.subarray(Math.max(0, from - at), Math.max(0, to - at))
      if (part.length > 0) parts.push(part)
    }
    finish(until)
    at = until
  }
  finish(Number.POSITIVE_INFINITY)
  return prints
}

process.once('message', (wanted: PrintsWanted) => {
  const send = (message: PrintsMessage) => process.send?.(message)
  printsOf(wanted).then(
    (prints) => send({ prints }),
    (error: unknown) => send({ problem: messageOf(error) }),
  )
})
