/**
 * Deepgram, afterwards and live, through its own package. Sources: Deepgram's API reference, "Pre-Recorded Audio" and
 * "Live Audio" (developers.deepgram.com/reference/speech-to-text), and its page "Audio Keep Alive".
 */

import type { DeepgramError } from '@deepgram/sdk'
import { boundedFetch } from '@standin/base/bounded-body.ts'
import { aborted } from '@standin/base/deadline.ts'
import { z } from 'zod'
import { wordsOfTokens } from '../tokens.ts'
import type { LiveConnection, LiveListener, Recognized, SpeechProvider } from '../types.ts'
import {
  causeOf,
  excerpt,
  isTooLong,
  isTransientStatus,
  lenient,
  MAX_ANSWER_BYTES,
  ProviderError,
  refusedStatus,
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

/** One odd value must not lose the rest of a transcript. */
const wordSchema = z
  .looseObject({
    word: lenient(z.string()),
    punctuated_word: lenient(z.string()),
    start: lenient(z.number()),
    end: lenient(z.number()),
    confidence: lenient(z.number()),
    language: lenient(z.string()),
  })
  .catch({ word: null, punctuated_word: null, start: null, end: null, confidence: null, language: null })
const channelSchema = z.looseObject({
  detected_language: lenient(z.string()),
  alternatives: z
    .array(
      z.looseObject({
        transcript: lenient(z.string()),
        languages: lenient(z.array(z.string())),
        words: z.array(wordSchema).nullish(),
      }),
    )
    .nullish(),
})
const answerSchema = z.looseObject({ results: z.looseObject({ channels: z.array(channelSchema) }) })
const resultsSchema = z.looseObject({
  type: z.literal('Results'),
  is_final: z.boolean().nullish(),
  channel: channelSchema,
})

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
    live: { open },
  }

  /** The package takes 36 MB and most of a second to load, which bots without it need not pay. */
  async function load() {
    const { DeepgramClient, DeepgramError } = await import('@deepgram/sdk')
    const environment = { base, production: sockets, agent: sockets, agentRest: base }
    const client = new DeepgramClient({
      apiKey: key,
      environment,
      maxRetries: 0,
      fetch: boundedFetch(MAX_ANSWER_BYTES),
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
    return { raw: answer, ...spokenIn(channel) }
  }

  async function open(sampleRate: number, listener: LiveListener, signal: AbortSignal): Promise<LiveConnection> {
    const format = { encoding: 'linear16', sample_rate: sampleRate, channels: 1, interim_results: true }
    const query = { ...MODEL, ...customParams, ...format }
    const { client } = await load()
    const socket = await client.listen.v1.createConnection({
      model: MODEL.model,
      queryParams: query,
      // Who reconnects has to know what sound is to be sent again, and that is our caller.
      reconnectAttempts: 0,
      shouldReconnect: () => false,
      connectionTimeoutInSeconds: OPEN_SECONDS,
    })
    const opened = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    let isOpen = false
    let isOver = false
    const end = (reason: string, isTransient = true) => {
      if (isOver) return
      isOver = true
      ended.resolve()
      if (isOpen && !isFinishing) listener.lost(reason)
      else opened.reject(new ProviderError(`${host} ${reason}`, { isTransient }))
    }
    let isFinishing = false
    socket.on('open', () => {
      isOpen = true
      opened.resolve()
    })
    socket.on('message', (message) => {
      const parsed = resultsSchema.safeParse(message)
      if (!parsed.success) return
      const { words, language } = spokenIn(parsed.data.channel)
      listener.heard({ isFinal: parsed.data.is_final === true, words, language, raw: message })
    })
    socket.on('error', (error) => {
      const refusal = refusedStatus(error)
      if (refusal === null) end(`could not be reached: ${excerpt(causeOf(error), key)}`)
      else end(`answered with status ${refusal}`, isTransientStatus(refusal))
    })
    socket.on('close', ({ code, reason }) => {
      const closed = `closed the connection (${code} ${excerpt(reason ?? '', key)})`
      // For a refused connection the package reports the end first and the reason right after.
      if (isOpen) end(closed)
      else setImmediate(() => end(closed))
    })
    const close = () => {
      isFinishing = true
      socket.close()
      end('was left')
    }
    signal.addEventListener('abort', close, { once: true })
    opened.promise.then(
      () => signal.removeEventListener('abort', close),
      () => signal.removeEventListener('abort', close),
    )
    socket.connect()
    await opened.promise
    /** The package throws where the connection broke a moment ago; a separate event reports that end. */
    const say = (work: () => void) => {
      try {
        if (!isOver) work()
      } catch (error) {
        end(`lost the connection: ${excerpt(causeOf(error), key)}`)
      }
    }
    return {
      send: (samples) => say(() => socket.sendMedia(samples)),
      keepAlive: () => say(() => socket.sendKeepAlive({ type: 'KeepAlive' })),
      async finish(limit) {
        isFinishing = true
        say(() => socket.sendCloseStream({ type: 'CloseStream' }))
        await Promise.race([ended.promise, aborted(limit)])
        close()
      },
      close,
    }
  }

  function spokenIn({ detected_language: detected, alternatives }: z.infer<typeof channelSchema>) {
    const [best] = alternatives ?? []
    const tokens = (best?.words ?? []).map(({ word, punctuated_word: shown, start, end, confidence }) => ({
      ...{ word: shown ?? word ?? '', start, end, confidence },
    }))
    const words = wordsOfTokens(tokens, best?.transcript || null)
    const known = detected ?? best?.languages?.[0] ?? best?.words?.find((word) => word.language)?.language
    return { words, language: known ?? (language === 'multi' ? null : language) }
  }

  function refusalOf(error: Error & Pick<DeepgramError, 'statusCode' | 'body' | 'rawResponse'>): ProviderError {
    const { statusCode, body, rawResponse } = error
    if (statusCode === undefined) return unreachable(error)
    const answerExcerpt = excerpt(typeof body === 'string' ? body : (JSON.stringify(body) ?? ''), key)
    const seconds = Number(rawResponse?.headers.get('retry-after'))
    return new ProviderError(`${host} answered with status ${statusCode}: ${answerExcerpt}`, {
      isTransient: isTransientStatus(statusCode),
      retryAfterMs: seconds > 0 ? seconds * 1000 : null,
    })
  }

  function unreachable(error: unknown): ProviderError {
    return new ProviderError(`${host} could not be asked: ${excerpt(causeOf(error), key)}`, {
      isTransient: !isTooLong(error),
    })
  }
}
