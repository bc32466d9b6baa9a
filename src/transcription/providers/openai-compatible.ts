/**
 * Any service that speaks OpenAI's `POST /audio/transcriptions`: OpenAI itself, and self-hosted Whisper servers such as
 * speaches, whisper.cpp's server or vLLM; live if it has OpenAI's Realtime interface too. Source: OpenAI API reference,
 * "Create transcription".
 */
import { openAsBlob } from 'node:fs'
import { basename } from 'node:path'
import { readBody } from '../../../packages/core/bounded-body.ts'
import { openTurns } from '../turn-connection.ts'
import type { Recognized, SpeechProvider } from '../types.ts'
import { recognizedIn } from './openai-answer.ts'
import { REALTIME_SAMPLE_RATE, realtimeSessions } from './openai-realtime.ts'
import {
  causeOf,
  excerpt,
  isSilence,
  isTooLong,
  isTransientStatus,
  MAX_ANSWER_BYTES,
  ProviderError,
  tried,
} from './provider-error.ts'

export interface OpenAiCompatibleOptions {
  /** For `transcription.json`; absent: `Default`. */
  name?: string
  /** Such as `https://api.openai.com/v1`; the operator's, so it may be private. */
  url: string
  /** Null for servers that ask for none. */
  key: string | null
  model: string
  /** Of live recognition. */
  liveUrl: string
  liveModel: string
  /** Further fields of the request, as the caller gave them; they override ours. */
  customParams: Readonly<Record<string, unknown>>
  /** Between tries; tests shorten it. */
  retryMs?: number
  /** Longest live session; tests shorten it. */
  sessionMs?: number
}

const RETRY_MS = 2_000
/** OpenAI takes 25 MB; our sound has 128 kbit/s. */
export const MAX_SECONDS = 20 * 60

class RefusedRequest extends ProviderError {
  readonly parameters: readonly string[]

  constructor(message: string, parameters: readonly string[]) {
    super(message, { isTransient: false })
    this.parameters = parameters
  }
}

/** Parameters of ours that a refusal names, or all of them if it names none; never those that the caller set. */
function ownParametersIn(refusal: string, given: Readonly<Record<string, unknown>>): string[] {
  const ours = ['timestamp_granularities', 'response_format'].filter((name) => !(name in given))
  const named = ours.filter((name) => refusal.includes(name))
  return named.length > 0 ? named : ours
}

export function createOpenAiCompatible(options: OpenAiCompatibleOptions): SpeechProvider {
  const address = `${options.url.replace(/\/+$/, '')}/audio/transcriptions`
  const { host } = new URL(address)
  const { liveUrl, liveModel, key, customParams, sessionMs } = options
  const live = { url: liveUrl, model: liveModel, key, customParams, ...(sessionMs && { sessionMs }) }
  const language = typeof options.customParams.language === 'string' ? options.customParams.language : null

  return {
    name: options.name ?? 'Default',
    afterwards: {
      maxSeconds: MAX_SECONDS,
      transcribe: (file, signal) =>
        tried(() => askPlainer(file, signal), { signal, retryMs: options.retryMs ?? RETRY_MS }),
    },
    live: {
      sampleRate: REALTIME_SAMPLE_RATE,
      open: (listener, signal) =>
        openTurns(realtimeSessions(live), { sampleRate: REALTIME_SAMPLE_RATE, language }, listener, signal),
    },
  }

  /** Some models take no times of words, and some no verbose answer: what one refuses is left out. */
  async function askPlainer(file: string, signal: AbortSignal): Promise<Recognized> {
    const leftOut = new Set<string>()
    let first: unknown = null
    for (;;) {
      try {
        return await ask(file, signal, leftOut)
      } catch (error) {
        first ??= error
        const refused = error instanceof RefusedRequest ? error.parameters.filter((name) => !leftOut.has(name)) : []
        if (refused.length === 0) throw error instanceof RefusedRequest ? first : error
        for (const name of refused) leftOut.add(name)
      }
    }
  }

  async function ask(file: string, signal: AbortSignal, leftOut: ReadonlySet<string>): Promise<Recognized> {
    const form = new FormData()
    const format = leftOut.has('response_format') ? 'json' : 'verbose_json'
    const fields = { model: options.model, response_format: format, ...options.customParams }
    for (const [name, value] of Object.entries(fields))
      if (name !== 'file')
        for (const one of [value].flat()) form.append(Array.isArray(value) ? `${name}[]` : name, asText(one))
    if (!('timestamp_granularities' in options.customParams) && !leftOut.has('timestamp_granularities'))
      for (const what of ['word', 'segment']) form.append('timestamp_granularities[]', what)
    form.append('file', await openAsBlob(file, { type: 'audio/mp4' }), basename(file))
    let response: Response
    try {
      response = await fetch(address, {
        method: 'POST',
        body: form,
        headers: options.key === null ? {} : { authorization: `Bearer ${options.key}` },
        // A key must not travel to where the operator did not send it.
        redirect: 'error',
        signal,
      })
    } catch (error) {
      signal.throwIfAborted()
      throw new ProviderError(`${host} could not be asked: ${causeOf(error)}`, { isTransient: true, cause: error })
    }
    const text = await textOf(response, signal)
    const answerExcerpt = () => excerpt(text, options.key)
    if (!response.ok) {
      const isRefused = response.status === 400 || response.status === 422
      const parameters = isRefused ? ownParametersIn(text, options.customParams) : []
      if (parameters.length > 0)
        throw new RefusedRequest(`${host} answered with status ${response.status}: ${answerExcerpt()}`, parameters)
      const seconds = Number(response.headers.get('retry-after'))
      throw new ProviderError(`${host} answered with status ${response.status}: ${answerExcerpt()}`, {
        isTransient: isTransientStatus(response.status) && !isSilence(text),
        retryAfterMs: seconds > 0 ? seconds * 1000 : null,
      })
    }
    const answer = parseJson(text)
    const recognized = recognizedIn(answer)
    if (recognized === null)
      throw new ProviderError(`${host} gave an answer that is no transcription: ${answerExcerpt()}`, {
        isTransient: false,
      })
    return { raw: answer, ...recognized }
  }

  async function textOf({ body }: Response, signal: AbortSignal): Promise<string> {
    try {
      return body === null ? '' : String(await readBody(body, MAX_ANSWER_BYTES))
    } catch (error) {
      signal.throwIfAborted()
      const isTransient = !isTooLong(error)
      throw new ProviderError(`${host} gave no whole answer: ${causeOf(error)}`, { isTransient, cause: error })
    }
  }
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
