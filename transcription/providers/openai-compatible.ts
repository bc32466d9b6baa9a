/**
 * Any service that speaks OpenAI's `POST /audio/transcriptions`: OpenAI itself, and self-hosted Whisper servers such as
 * speaches, whisper.cpp's server or vLLM. Source: OpenAI API reference, "Create transcription".
 */
import { openAsBlob } from 'node:fs'
import { basename } from 'node:path'
import { readBody } from '@standin/base/bounded-body.ts'
import { z } from 'zod'
import { spread } from '../spread.ts'
import { type Token, wordsOfTokens } from '../tokens.ts'
import type { Recognized, SpeechProvider, Word } from '../types.ts'
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

/** One odd value must not lose the rest of a transcript. */
const seconds = z.number().nullish().catch(null)
const timed = z.looseObject({ start: seconds, end: seconds })
const word = timed.extend({ word: z.string(), probability: z.number().nullish().catch(null) })
const words = z.array(word.nullable().catch(null)).nullish()
const answerSchema = z
  .looseObject({
    text: z.string().optional(),
    language: z.string().nullish(),
    duration: z.coerce.number().nullish(),
    words,
    segments: z.array(timed.extend({ text: z.string(), words })).nullish(),
  })
  .refine((answer) => hasPlace(answer), 'has words and no time for them')

class RefusedParameter extends ProviderError {
  readonly parameter: string

  constructor(message: string, parameter: string) {
    super(message, { isTransient: false })
    this.parameter = parameter
  }
}

/** A parameter of ours that a refusal names; null if the caller set it. */
function ownParameterIn(refusal: string, given: Readonly<Record<string, unknown>>): string | null {
  const ours = ['timestamp_granularities', 'response_format'].filter((name) => !(name in given))
  return ours.find((name) => refusal.includes(name)) ?? null
}

export function createOpenAiCompatible(options: OpenAiCompatibleOptions): SpeechProvider {
  const address = `${options.url.replace(/\/+$/, '')}/audio/transcriptions`
  const { host } = new URL(address)

  return {
    name: 'Default',
    afterwards: {
      maxSeconds: MAX_SECONDS,
      transcribe: (file, signal) =>
        tried(() => askPlainer(file, signal), { signal, retryMs: options.retryMs ?? RETRY_MS }),
    },
    // The interface has no live way that its servers agree on.
    live: null,
  }

  /** Some models take no times of words, and some no verbose answer: what one refuses by name is left out. */
  async function askPlainer(file: string, signal: AbortSignal): Promise<Recognized> {
    const leftOut = new Set<string>()
    for (;;) {
      try {
        return await ask(file, signal, leftOut)
      } catch (error) {
        const refused = error instanceof RefusedParameter ? error.parameter : null
        if (refused === null || leftOut.has(refused)) throw error
        leftOut.add(refused)
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
    const told = () => excerpt(text, options.key)
    if (!response.ok) {
      const parameter = response.status === 400 ? ownParameterIn(text, options.customParams) : null
      if (parameter !== null) throw new RefusedParameter(`${host} answered with status 400: ${told()}`, parameter)
      const seconds = Number(response.headers.get('retry-after'))
      throw new ProviderError(`${host} answered with status ${response.status}: ${told()}`, {
        isTransient: isTransientStatus(response.status) && !isSilence(text),
        retryAfterMs: seconds > 0 ? seconds * 1000 : null,
      })
    }
    const parsed = answerSchema.safeParse(parseJson(text))
    if (!parsed.success)
      throw new ProviderError(`${host} gave an answer that is no transcription: ${told()}`, { isTransient: false })
    const { language = null, text: whole = '', duration, words: given, segments } = parsed.data
    if (!given?.length && !segments?.length && !duration)
      return { raw: parsed.data, words: [], untimed: whole, language }
    return { raw: parsed.data, words: wordsOf(parsed.data), language }
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

/** Words alone say nothing about when they were said; with a text beside them the answer is a transcript. */
function hasPlace({
  words: given,
  segments,
  text,
}: {
  words?: unknown
  segments?: unknown
  text?: string | undefined
}) {
  const isUntimed = (one: unknown) => typeof (one as { start?: unknown } | null)?.start !== 'number'
  return text !== undefined || Boolean(segments) || !Array.isArray(given) || !given.length || !given.every(isUntimed)
}

/** Words with times where the service gives them; else those of a segment share its time by their length. */
export function wordsOf(answer: z.input<typeof answerSchema>): Word[] {
  const { words: given, segments, text = '', duration } = answerSchema.parse(answer)
  if (given && given.length > 0) return wordsOfTokens(tokensOf(given))
  if (!segments || segments.length === 0) return spread(text, 0, duration ?? 0)
  return segments.flatMap((segment) => {
    const start = Math.max(0, segment.start ?? 0)
    return segment.words && segment.words.length > 0
      ? wordsOfTokens(tokensOf(segment.words))
      : spread(segment.text, start, Math.max(start, segment.end ?? duration ?? start))
  })
}

function tokensOf(given: readonly (z.infer<typeof word> | null)[]): Token[] {
  return given.flatMap((one) =>
    one === null
      ? []
      : [{ word: one.word, start: one.start ?? null, end: one.end ?? null, confidence: one.probability ?? null }],
  )
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
