/** The recognizer of this machine: a server that speaks the interface of `Default`, and is started when it is needed first. */
import type { SpeechProvider } from '../types.ts'
import { createOpenAiCompatible, MAX_SECONDS } from './openai-compatible.ts'
import { REALTIME_SAMPLE_RATE } from './openai-realtime.ts'

export interface LocalOptions {
  /** As the job calls it, for `transcription.json`. */
  name: string
  /** Rejects with a ProviderError. */
  open(): Promise<{ url: string; key: string }>
  customParams: Readonly<Record<string, unknown>>
}

export function createLocal({ name, open, customParams }: LocalOptions): SpeechProvider {
  async function client() {
    const { url, key } = await open()
    const liveUrl = `${url.replace(/^http/, 'ws')}/realtime`
    return createOpenAiCompatible({ name, url, key, model: 'local', liveUrl, liveModel: 'local', customParams })
  }
  return {
    name,
    live: {
      sampleRate: REALTIME_SAMPLE_RATE,
      open: async (listener, signal) => (await client()).live!.open(listener, signal),
    },
    afterwards: {
      maxSeconds: MAX_SECONDS,
      transcribe: async (file, signal) => (await client()).afterwards!.transcribe(file, signal),
    },
  }
}
