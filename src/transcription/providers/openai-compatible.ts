/**
 * Any service that speaks OpenAI's `POST /audio/transcriptions`: OpenAI itself, and self-hosted Whisper servers such as
 * speaches, whisper.cpp's server or vLLM; live if it has OpenAI's Realtime interface too. Source: OpenAI API reference,
 * "Create transcription".
 */
import { openAsBlob } from 'node:fs'
import { basename } from 'node:path'
import { jsonOrNull } from '@standin/wire/text/json-text.ts'
import { readBody } from '../../../packages/core/bounded-body.ts'
import { openTurns } from '../turn-connection.ts'
import type { Recognized, SpeechProvider } from '../types.ts'
import { recognizedIn } from './openai-answer.ts'
import { REALTIME_SAMPLE_RATE, realtimeSessions } from './openai-realtime.ts'
import {
  fieldsOf,
  firstRequest,
  isOfOurs,
  type OpenAiRequest,
  problemOfAnswer,
  requestAfter,
} from './openai-request.ts'
import { patientFetch } from './patient-fetch.ts'
import { causeOf, excerpt, isTooLong, MAX_ANSWER_BYTES, ProviderError, refusedWith, tried } from './provider-error.ts'

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
/** Statuses of a refusal that need not name what is refused. */
const OF_REQUEST = new Set([400, 406, 415, 422])
/** OpenAI takes 25 MB; our sound has 128 kbit/s. */
export const MAX_SECONDS = 20 * 60

/** The request as it is was refused; another form of it may be taken. */
class RefusedRequest extends ProviderError {
  readonly answer: string

  constructor(message: string, answer: string, isTransient: boolean) {
    super(message, { isTransient })
    this.answer = answer
  }
}

export function createOpenAiCompatible(options: OpenAiCompatibleOptions): SpeechProvider {
  const address = `${options.url.replace(/\/+$/, '')}/audio/transcriptions`
  const { host } = new URL(address)
  const { liveUrl, liveModel, key, customParams, sessionMs } = options
  const live = { url: liveUrl, model: liveModel, key, customParams, ...(sessionMs && { sessionMs }) }
  const language = typeof options.customParams.language === 'string' ? options.customParams.language : null
  /** The request that the model took last, with which the next piece of a recording begins. */
  let taken = firstRequest(customParams)

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

  /** Rejects with the last refusal: the earlier ones were met. */
  async function askPlainer(file: string, signal: AbortSignal): Promise<Recognized> {
    const problem = problemOfAnswer(customParams)
    if (problem !== null) throw new ProviderError(problem, { isTransient: false, isForAll: true })
    const refused = new Set<string>()
    for (let request = taken; ; ) {
      try {
        const recognized = await ask(file, signal, request)
        taken = request
        return recognized
      } catch (error) {
        refused.add(JSON.stringify(request))
        const next = error instanceof RefusedRequest ? requestAfter(error.answer, request, customParams) : null
        if (next === null || refused.has(JSON.stringify(next))) throw error
        request = next
      }
    }
  }

  async function ask(file: string, signal: AbortSignal, request: OpenAiRequest): Promise<Recognized> {
    const form = new FormData()
    for (const [name, value] of fieldsOf(request, options.model, customParams)) form.append(name, value)
    form.append('file', await openAsBlob(file, { type: 'audio/mp4' }), basename(file))
    const body = await new Response(form).blob()
    // Some servers take no body of unknown length.
    const headers: Record<string, string> = { 'content-length': String(body.size) }
    if (options.key !== null) headers.authorization = `Bearer ${options.key}`
    let response: Response
    try {
      response = await patientFetch(address, { method: 'POST', body, headers, signal })
    } catch (error) {
      signal.throwIfAborted()
      const reason = { isTransient: true, isUnreachable: true, cause: error }
      throw new ProviderError(`${host} could not be asked: ${causeOf(error)}`, reason)
    }
    const text = await textOf(response, signal)
    const answerExcerpt = () => excerpt(text, options.key)
    if (!response.ok) {
      const { status, headers } = response
      const error = refusedWith({ status, text, retryAfter: headers.get('retry-after') }, host, options.key)
      const isOfRequest = !error.isForAll && status !== 429 && (OF_REQUEST.has(status) || isOfOurs(text))
      throw isOfRequest ? new RefusedRequest(error.message, text, error.isTransient) : error
    }
    const answer = jsonOrNull(text)
    const recognized = recognizedIn(answer)
    if (recognized === null) {
      const message = `${host} gave an answer that is no transcription: ${answerExcerpt()}`
      // Some servers refuse with a status of success.
      throw isOfOurs(text)
        ? new RefusedRequest(message, text, false)
        : new ProviderError(message, { isTransient: false })
    }
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
