/** Any service that speaks OpenAI's `POST /audio/speech`. Source: OpenAI API reference, "Create speech". */
import { readBody } from '../../packages/core/bounded-body.ts'
import type { Voice } from '../../packages/core/ports.ts'
import { causeOf, ProviderError, refusedWith, tried } from '../transcription/providers/provider-error.ts'
import { pcmOf } from './pcm.ts'

/** Two minutes of WAV with 48 kHz in stereo. */
const MAX_SOUND_BYTES = 24_000_000
const DEADLINE_MS = 30_000
const RETRY_MS = 500

export interface VoiceServiceOptions {
  /** Such as `https://api.openai.com/v1`; the operator's, so it may be private. */
  url: string
  /** Null for servers that ask for none. */
  key: string | null
  model: string
  voice: string
  sampleRate: number
}

export function openVoiceService({ url, key, model, voice, sampleRate }: VoiceServiceOptions): Voice {
  const address = `${url.replace(/\/+$/, '')}/audio/speech`
  const { host } = new URL(address)

  async function ask(text: string, signal: AbortSignal): Promise<Uint8Array> {
    let response: Response
    let body: Uint8Array
    try {
      response = await fetch(address, {
        method: 'POST',
        body: JSON.stringify({ model, voice, input: text, response_format: 'wav' }),
        headers: { 'content-type': 'application/json', ...(key !== null && { authorization: `Bearer ${key}` }) },
        // A key must not travel to where the operator did not send it.
        redirect: 'error',
        signal,
      })
      body = response.body === null ? Buffer.alloc(0) : await readBody(response.body, MAX_SOUND_BYTES)
    } catch (error) {
      signal.throwIfAborted()
      throw new ProviderError(`${host} gave no speech: ${causeOf(error)}`, { isTransient: true, cause: error })
    }
    if (response.ok) return body
    const { status, headers } = response
    throw refusedWith({ status, text: String(body), retryAfter: headers.get('retry-after') }, host, key)
  }

  return {
    async speak(text, signal) {
      const inTime = AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)])
      const sound = await tried(() => ask(text, inTime), { signal: inTime, retryMs: RETRY_MS })
      return pcmOf(sound, { sampleRate, signal: inTime })
    },
    close() {},
  }
}
