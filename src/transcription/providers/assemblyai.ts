/**
 * AssemblyAI, afterwards and live, through its own package. Sources: AssemblyAI's API reference ("Upload a media file",
 * "Transcribe audio", "Get transcript"), and "Message Sequence" of its streaming documentation.
 */

import { openAsBlob } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { aborted } from '@standin/wire/time/deadline.ts'
import type { StreamingTranscriberParams, TranscribeParams, TurnEvent } from 'assemblyai'
import { z } from 'zod'
import { boundedFetch } from '../../../packages/core/bounded-body.ts'
import { spread } from '../spread.ts'
import { spokenOf } from '../tokens.ts'
import type { LiveConnection, LiveListener, Recognized, SpeechProvider } from '../types.ts'
import {
  causeOf,
  excerpt,
  isTooLong,
  isTransientStatus,
  LIVE_SAMPLE_RATE,
  lenient,
  MAX_ANSWER_BYTES,
  ProviderError,
  refusedStatus,
  refusedWith,
  tried,
} from './provider-error.ts'

export interface AssemblyAiOptions {
  key: string
  /** Of another region, such as `https://api.eu.assemblyai.com`; null for the usual one. */
  url: string | null
  /** Of live recognition, such as `wss://streaming.eu.assemblyai.com`; null for the usual one. */
  liveUrl: string | null
  /** Further parameters by the names of AssemblyAI's interface; they override ours. */
  customParams: Readonly<Record<string, unknown>>
  /** Between tries; tests shorten it. */
  retryMs?: number
  /** Between two questions whether a transcript is done; tests shorten it. */
  pollMs?: number
}

const PUBLIC = 'https://api.assemblyai.com'
const RETRY_MS = 2_000
const POLL_MS = 3_000
/** It takes files of up to ten hours. */
const MAX_SECONDS = 9 * 3600
const OPEN_MS = 10_000

/** One odd value must not lose the rest of a transcript. */
const wordSchema = z
  .looseObject({
    text: lenient(z.string()),
    start: lenient(z.number()),
    end: lenient(z.number()),
    confidence: lenient(z.number()),
  })
  .catch({ text: null, start: null, end: null, confidence: null })
const transcriptSchema = z.looseObject({
  id: z.string(),
  status: z.enum(['queued', 'processing', 'completed', 'error']),
  error: z.string().nullish(),
  language_code: lenient(z.string()),
  text: lenient(z.string()),
  words: z.array(wordSchema).nullish(),
})
type Transcript = z.infer<typeof transcriptSchema>

export function createAssemblyAi(options: AssemblyAiOptions): SpeechProvider {
  const { key, customParams, retryMs = RETRY_MS, pollMs = POLL_MS } = options
  const baseUrl = (options.url ?? PUBLIC).replace(/\/+$/, '')
  const { host } = new URL(baseUrl)
  /** Bots without it need not pay for loading the package. */
  const load = async () => {
    const { AssemblyAI } = await import('assemblyai')
    const client = new AssemblyAI({ apiKey: key, baseUrl })
    for (const service of [client.files, client.transcripts])
      bound(service, (refusal) => refusedWith(refusal, host, key))
    return client
  }
  const again = (signal: AbortSignal) => ({ signal, retryMs })

  return {
    name: 'assemblyai',
    afterwards: { maxSeconds: MAX_SECONDS, transcribe },
    live: { sampleRate: LIVE_SAMPLE_RATE, open },
  }

  /** Each step is tried again by itself: a sound that was sent once is not sent again for an answer that was lost. */
  async function transcribe(file: string, signal: AbortSignal): Promise<Recognized> {
    const client = await load()
    const sound = await openAsBlob(file, { type: 'application/octet-stream' })
    const address = await tried(() => asked(client.files.upload(sound), signal), again(signal))
    // A caller's own notification addresses stay; the sound is ours.
    const request = { language_detection: true, ...customParams, audio_url: address } as TranscribeParams
    if ('language_code' in customParams) Reflect.deleteProperty(request, 'language_detection')
    let transcript = read(await tried(() => asked(client.transcripts.submit(request), signal), again(signal)))
    while (transcript.status === 'queued' || transcript.status === 'processing') {
      await delay(pollMs, undefined, { signal })
      const { id } = transcript
      transcript = read(await tried(() => asked(client.transcripts.get(id), signal), again(signal)))
    }
    if (transcript.status === 'error')
      throw new ProviderError(`${host} could not transcribe it: ${excerpt(transcript.error ?? '', key)}`, {
        isTransient: false,
      })
    return {
      raw: transcript,
      ...spokenIn(transcript.words ?? [], transcript.text),
      language: transcript.language_code,
    }
  }

  async function open(listener: LiveListener, signal: AbortSignal): Promise<LiveConnection> {
    const own = {
      speechModel: 'universal-streaming-multilingual',
      formatTurns: true,
      ...liveParams(customParams),
      sampleRate: LIVE_SAMPLE_RATE,
      encoding: 'pcm_s16le',
      apiKey: key,
      connectTimeout: OPEN_MS,
      // Who reconnects has to know what sound is to be sent again, and that is our caller.
      maxConnectionRetries: 0,
      websocketBaseUrl: options.liveUrl === null ? undefined : `${options.liveUrl.replace(/\/+$/, '')}/v3/ws`,
    } as StreamingTranscriberParams
    const transcriber = (await load()).streaming.transcriber(own)
    const turns = new TurnReader(own.formatTurns === true, listener)
    let isOver = false
    const end = (reason: string) => {
      if (isOver) return
      isOver = true
      turns.release()
      listener.lost(reason)
    }
    transcriber.on('turn', (turn) => turns.onTurn(turn))
    transcriber.on('error', (error) => end(`reported an error: ${excerpt(error.message, key)}`))
    transcriber.on('close', (code, reason) => end(`closed the connection (${code} ${excerpt(reason ?? '', key)})`))
    const close = () => {
      isOver = true
      void transcriber.close(false).catch(() => {
        // It is closed already.
      })
    }
    signal.addEventListener('abort', close, { once: true })
    try {
      await transcriber.connect()
    } catch (error) {
      signal.throwIfAborted()
      const refusal = refusedStatus(error)
      const isTransient =
        refusal === null ? (error as { retryable?: boolean }).retryable !== false : isTransientStatus(refusal)
      const place = options.liveUrl === null ? host : new URL(options.liveUrl).host
      throw new ProviderError(`${place} could not be reached: ${excerpt(causeOf(error), key)}`, { isTransient })
    } finally {
      signal.removeEventListener('abort', close)
    }
    if (signal.aborted) close()
    const say = (work: () => void) => {
      try {
        if (!isOver) work()
      } catch (error) {
        end(`lost the connection: ${excerpt(causeOf(error), key)}`)
      }
    }
    return {
      send: (samples) =>
        say(() =>
          transcriber.sendAudio(
            samples.buffer.slice(samples.byteOffset, samples.byteOffset + samples.byteLength) as ArrayBuffer,
          ),
        ),
      keepAlive: () => {
        // Silence is no reason to hang up, unless the caller asked for that.
        if (own.inactivityTimeout !== undefined) say(() => transcriber.keepAlive())
      },
      async finish(limit) {
        if (isOver) return true
        await Promise.race([transcriber.close(true, 0).catch(() => {}), aborted(limit)])
        turns.release()
        close()
        return !limit.aborted
      },
      close,
    }
  }

  async function asked<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
    const stopped = Promise.withResolvers<never>()
    const onAbort = () => stopped.reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      return await Promise.race([work, stopped.promise])
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof ProviderError) throw error
      throw new ProviderError(`${host} could not be asked: ${excerpt(causeOf(error), key)}`, {
        isTransient: !isTooLong(error),
        isUnreachable: true,
      })
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  function read(answer: unknown): Transcript {
    const parsed = transcriptSchema.safeParse(answer)
    if (parsed.success) return parsed.data
    const answerExcerpt = excerpt(JSON.stringify(answer) ?? '', key)
    throw new ProviderError(`${host} gave an answer that is no transcript: ${answerExcerpt}`, { isTransient: false })
  }
}

/**
 * The package takes no `fetch` of ours, reads answers whole and keeps the status of a refusal to itself, so that its own
 * way of asking gets a limit and our errors.
 */
function bound(service: object, errorOf: (refusal: Parameters<typeof refusedWith>[0]) => ProviderError): void {
  const ask = boundedFetch(MAX_ANSWER_BYTES, Reflect.get(service, 'fetchResponse').bind(service))
  const fetchResponse: typeof fetch = async (...request) => {
    const response = await ask(...request)
    const { ok, status, headers } = response
    if (ok) return response
    throw errorOf({ status, text: await response.text(), retryAfter: headers.get('retry-after') })
  }
  Object.assign(service, { fetchResponse })
}

/**
 * Turns grow message by message. An ended turn may come once more with punctuation; that one counts, and the plain one
 * if none comes before the next turn.
 */
class TurnReader {
  readonly #isFormatted: boolean
  readonly #listener: LiveListener
  #held: TurnEvent | null = null
  #done = -1
  /** End of the last word, in seconds; a turn without words is placed behind it. */
  #end = 0

  constructor(isFormatted: boolean, listener: LiveListener) {
    this.#isFormatted = isFormatted
    this.#listener = listener
  }

  onTurn(turn: TurnEvent): void {
    if (turn.turn_order <= this.#done) return
    if (this.#held && turn.turn_order > this.#held.turn_order) this.release()
    const isPlain = this.#isFormatted && !turn.turn_is_formatted
    if (turn.end_of_turn && isPlain) this.#held = turn
    if (turn.end_of_turn && !isPlain) this.#finish(turn)
    else this.#emit(turn, false)
  }

  /** No better form of the last turn will come. */
  release(): void {
    if (this.#held) this.#finish(this.#held)
  }

  #finish(turn: TurnEvent): void {
    this.#held = null
    this.#done = turn.turn_order
    this.#emit(turn, true)
  }

  #emit(turn: TurnEvent, isFinal: boolean): void {
    const words = z.array(wordSchema).nullish().safeParse(turn.words)
    if (!words.success) return
    const text = typeof turn.transcript === 'string' ? turn.transcript : null
    const language = turn.language_code ?? null
    const { words: timed, untimed = '' } = spokenIn(words.data ?? [], text)
    const placed = untimed === '' ? timed : spread(untimed, this.#end, this.#end)
    if (isFinal) this.#end = Math.max(this.#end, placed.at(-1)?.end ?? 0)
    this.#listener.heard({ isFinal, words: placed, language, raw: turn })
  }
}

/** Its times are milliseconds. */
function spokenIn(
  words: readonly z.infer<typeof wordSchema>[],
  text: string | null,
): Pick<Recognized, 'words' | 'untimed'> {
  const seconds = (time: number | null) => (time === null ? null : time / 1000)
  const tokens = words.map(({ text: word, start, end, confidence }) => ({
    ...{ word: word ?? '', start: seconds(start), end: seconds(end), confidence },
  }))
  return spokenOf(tokens, text || null)
}

/** Parameters of the package that are no parameters of the service; a caller must not send the operator's key elsewhere. */
const NOT_OF_THE_SERVICE = new Set(['websocketBaseUrl', 'token', 'apiKey', 'channels', 'channelAttribution'])

function liveParams(customParams: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const named = Object.entries(customParams).map(([name, value]) => [camelCase(name), value] as const)
  return Object.fromEntries(named.filter(([name]) => !NOT_OF_THE_SERVICE.has(name)))
}

/** The package names the parameters of live recognition in its own way. */
function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}
