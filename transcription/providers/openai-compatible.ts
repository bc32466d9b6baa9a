/**
 * Any service that speaks OpenAI's `POST /audio/transcriptions`: OpenAI itself, and self-hosted Whisper servers such as
 * speaches, whisper.cpp's server or vLLM. Source: OpenAI API reference, "Create transcription".
 */
import { openAsBlob } from 'node:fs'
import { basename } from 'node:path'
import { readBody } from '@standin/base/bounded-body.ts'
import { z } from 'zod'
import { spread } from '../spread.ts'
import type { Recognized, SpeechProvider, Word } from '../types.ts'
import {
  causeOf,
  excerpt,
  isTooLong,
  isTransientStatus,
  MAX_ANSWER_BYTES,
  ProviderError,
  tried,
} from './provider-error.ts'

export interface OpenAiCompatibleOptions {
  /** Such as `https://api.openai.com/v1`; the operator's, so it may be private. */
  url: string
  /** Null for servers that ask for none. */
  key: string | null
  model: string
  /** Further fields of the request, as the caller gave them; they override ours. */
  customParams: Readonly<Record<string, unknown>>
  /** Between tries; tests shorten it. */
  retryMs?: number
}

const RETRY_MS = 2_000
/** OpenAI takes 25 MB; our sound has 128 kbit/s. */
const MAX_SECONDS = 20 * 60

const timed = z.looseObject({ start: z.number().min(0), end: z.number().min(0) })
const answerSchema = z.looseObject({
  text: z.string().optional(),
  language: z.string().nullish(),
  duration: z.coerce.number().nullish(),
  words: z.array(timed.extend({ word: z.string(), probability: z.number().nullish() })).nullish(),
  segments: z
    .array(
      timed.extend({
        text: z.string(),
        words: z.array(timed.extend({ word: z.string(), probability: z.number().nullish() })).nullish(),
      }),
    )
    .nullish(),
})
type Answer = z.infer<typeof answerSchema>

export function createOpenAiCompatible(options: OpenAiCompatibleOptions): SpeechProvider {
  const address = `${options.url.replace(/\/+$/, '')}/audio/transcriptions`
  const { host } = new URL(address)

  return {
    name: 'Default',
    afterwards: {
      maxSeconds: MAX_SECONDS,
      transcribe: (file, signal) => tried(() => ask(file, signal), { signal, retryMs: options.retryMs ?? RETRY_MS }),
    },
    // The interface has no live way that its servers agree on.
    live: null,
  }

  async function ask(file: string, signal: AbortSignal): Promise<Recognized> {
    const form = new FormData()
    const fields = { model: options.model, response_format: 'verbose_json', ...options.customParams }
    for (const [name, value] of Object.entries(fields))
      if (name !== 'file')
        for (const one of [value].flat()) form.append(Array.isArray(value) ? `${name}[]` : name, asText(one))
    if (!('timestamp_granularities' in options.customParams))
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
    const told = () => excerpt(text, options.key)
    if (!response.ok) {
      const seconds = Number(response.headers.get('retry-after'))
      throw new ProviderError(`${host} answered with status ${response.status}: ${told()}`, {
        isTransient: isTransientStatus(response.status),
        retryAfterMs: seconds > 0 ? seconds * 1000 : null,
      })
    }
    const parsed = answerSchema.safeParse(parseJson(text))
    if (!parsed.success)
      throw new ProviderError(`${host} gave an answer that is no transcription: ${told()}`, { isTransient: false })
    return { raw: parsed.data, words: wordsOf(parsed.data), language: parsed.data.language ?? null }
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

/** Words with times where the service gives them; else those of a segment share its time by their length. */
export function wordsOf(answer: Answer): Word[] {
  if (answer.words && answer.words.length > 0) return answer.words.map(plainWord)
  const segments = answer.segments ?? []
  if (segments.length > 0)
    return segments.flatMap(({ words, text, start, end }) =>
      words && words.length > 0 ? words.map(plainWord) : spread(text, start, end),
    )
  return spread(answer.text ?? '', 0, answer.duration ?? 0)
}

function plainWord({
  word,
  start,
  end,
  probability,
}: {
  word: string
  start: number
  end: number
  probability?: number | null | undefined
}): Word {
  return { word: word.trim(), start, end: Math.max(start, end), confidence: probability ?? null }
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
