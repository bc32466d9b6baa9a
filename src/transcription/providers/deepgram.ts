/**
 * Deepgram, afterwards and live, through its own package. Sources: Deepgram's API reference, "Pre-Recorded Audio" and
 * "Live Audio" (developers.deepgram.com/reference/speech-to-text), and its page "Audio Keep Alive".
 */

import type { DeepgramError } from '@deepgram/sdk'
import { z } from 'zod'
import { boundedFetch } from '../../../packages/core/bounded-body.ts'
import type { LiveConnection, LiveListener, Recognized, SpeechProvider } from '../types.ts'
import { channelSchema, spokenIn } from './deepgram-answer.ts'
import { openDeepgramSocket } from './deepgram-live.ts'
import { patientFetch } from './patient-fetch.ts'
import {
  causeOf,
  excerpt,
  isTooLong,
  LIVE_SAMPLE_RATE,
  MAX_ANSWER_BYTES,
  ProviderError,
  refusedWith,
  tried,
} from './provider-error.ts'

export interface DeepgramOptions {
  key: string
  /** Of Deepgram in another region or on a machine of one's own, such as `https://api.eu.deepgram.com`; null for its usual one. */
  url: string | null
  /** Further query parameters, as the caller gave them; they override ours. */
  customParams: Readonly<Record<string, unknown>>
  /** Between tries; tests shorten it. */
  retryMs?: number
}

const PUBLIC = 'https://api.deepgram.com'
const RETRY_MS = 2_000
/** Two hours of our sound are 115 MB of at most 2 GB, and recognized well within its limit of ten minutes. */
const MAX_SECONDS = 2 * 3600
/** The caller's signal ends a request; this only replaces the package's own minute. */
const REQUEST_SECONDS = 3600
const OPEN_SECONDS = 10
const MODEL = { model: 'nova-3', language: 'multi', smart_format: true }

const answerSchema = z.looseObject({ results: z.looseObject({ channels: z.array(channelSchema) }) })

export function createDeepgram({ key, url, customParams, retryMs = RETRY_MS }: DeepgramOptions): SpeechProvider {
  const base = (url ?? PUBLIC).replace(/\/+$/, '')
  const sockets = base.replace(/^http/, 'ws')
  const { host } = new URL(base)
  const language = typeof customParams.language === 'string' ? customParams.language : null

  return {
    name: 'deepgram',
    afterwards: {
      maxSeconds: MAX_SECONDS,
      transcribe: (file, signal) => tried(() => ask(file, signal), { signal, retryMs }),
    },
    live: { sampleRate: LIVE_SAMPLE_RATE, open },
  }

  /** The package takes 36 MB and most of a second to load, which bots without it need not pay. */
  async function load() {
    const { DeepgramClient, DeepgramError } = await import('@deepgram/sdk')
    const environment = { base, production: sockets, agent: sockets, agentRest: base }
    const client = new DeepgramClient({
      apiKey: key,
      environment,
      maxRetries: 0,
      fetch: boundedFetch(MAX_ANSWER_BYTES, patientFetch),
    })
    return { client, DeepgramError }
  }

  async function ask(file: string, signal: AbortSignal): Promise<Recognized> {
    const { client, DeepgramError } = await load()
    let answer: unknown
    try {
      answer = await client.listen.v1.media.transcribeFile(
        { path: file, contentType: 'audio/mp4' },
        {},
        { queryParams: { ...MODEL, ...customParams }, timeoutInSeconds: REQUEST_SECONDS, abortSignal: signal },
      )
    } catch (error) {
      signal.throwIfAborted()
      throw error instanceof DeepgramError ? refusalOf(error) : unreachable(error)
    }
    const parsed = answerSchema.safeParse(answer)
    if (!parsed.success) {
      const answerExcerpt = excerpt(JSON.stringify(answer) ?? '', key)
      throw new ProviderError(`${host} gave an answer that is no transcription: ${answerExcerpt}`, {
        isTransient: false,
      })
    }
    // Further channels of our sound, which a caller may ask for, hold the same voices once more.
    const [channel = channelSchema.parse({})] = parsed.data.results.channels
    return { raw: answer, ...spokenIn(channel, language) }
  }

  async function open(listener: LiveListener, signal: AbortSignal): Promise<LiveConnection> {
    const format = { encoding: 'linear16', sample_rate: LIVE_SAMPLE_RATE, channels: 1, interim_results: true }
    const { client } = await load()
    const socket = await client.listen.v1.createConnection({
      model: MODEL.model,
      queryParams: { ...MODEL, ...customParams, ...format },
      // Who reconnects has to know what sound is to be sent again, and that is our caller.
      reconnectAttempts: 0,
      shouldReconnect: () => false,
      connectionTimeoutInSeconds: OPEN_SECONDS,
    })
    return openDeepgramSocket(socket, { host, key, wanted: language }, listener, signal)
  }

  function refusalOf(error: Error & Pick<DeepgramError, 'statusCode' | 'body' | 'rawResponse'>): ProviderError {
    const { statusCode, body, rawResponse } = error
    if (statusCode === undefined) return unreachable(error)
    const text = typeof body === 'string' ? body : (JSON.stringify(body) ?? '')
    return refusedWith({ status: statusCode, text, retryAfter: rawResponse?.headers.get('retry-after') }, host, key)
  }

  function unreachable(error: unknown): ProviderError {
    return new ProviderError(`${host} could not be asked: ${excerpt(causeOf(error), key)}`, {
      isTransient: !isTooLong(error),
      isUnreachable: true,
    })
  }
}
