/**
 * Any service that speaks OpenAI's `POST /audio/transcriptions`: OpenAI itself, and self-hosted Whisper servers such as
 * speaches, whisper.cpp's server or vLLM. Source: OpenAI API reference, "Create transcription".
 */
import { openAsBlob } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import type { Recognized, SpeechProvider, Word } from './types.ts'

export interface OpenAiCompatibleOptions {
  /** Such as `https://api.openai.com/v1`; the operator's, so it may be private. */
  url: string
  /** Null for servers that ask for none. */
  key: string | null
  model: string
  /** Further fields of the request, as the caller gave them; they go on top of ours. */
  customParams: Readonly<Record<string, unknown>>
  /** Between tries; tests shorten it. */
  retryMs?: number
}

const TRIES = 3
const RETRY_MS = 2_000
const LONGEST_RETRY_MS = 60_000
/** OpenAI takes 25 MB; our sound has 128 kbit/s. */
const MAX_SECONDS = 20 * 60
const MAX_ANSWER_BYTES = 50_000_000

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
    maxSeconds: MAX_SECONDS,
    async transcribe(file, signal) {
      for (let attempt = 1; ; attempt++) {
        signal.throwIfAborted()
        const outcome = await ask(file, signal)
        if ('recognized' in outcome) return outcome.recognized
        if (!outcome.isTransient || attempt === TRIES) throw new Error(`${host} ${outcome.reason}`)
        const waitMs = outcome.retryAfterMs ?? (options.retryMs ?? RETRY_MS) * 3 ** (attempt - 1)
        await delay(Math.min(waitMs, LONGEST_RETRY_MS), undefined, { signal })
      }
    },
  }

  async function ask(
    file: string,
    signal: AbortSignal,
  ): Promise<{ recognized: Recognized } | { reason: string; isTransient: boolean; retryAfterMs?: number }> {
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
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error)
      return { reason: `could not be asked: ${cause}`, isTransient: true }
    }
    const text = await response.text()
    if (!response.ok) {
      const isTransient = response.status === 429 || response.status >= 500
      const seconds = Number(response.headers.get('retry-after'))
      return {
        reason: `answered with status ${response.status}: ${excerpt(text)}`,
        isTransient,
        ...(seconds > 0 ? { retryAfterMs: seconds * 1000 } : {}),
      }
    }
    if (text.length > MAX_ANSWER_BYTES) return { reason: 'answered with more than 50 MB', isTransient: false }
    const parsed = answerSchema.safeParse(parseJson(text))
    if (!parsed.success)
      return { reason: `gave an answer that is no transcription: ${excerpt(text)}`, isTransient: false }
    return { recognized: { raw: parsed.data, words: wordsOf(parsed.data), language: parsed.data.language ?? null } }
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

function spread(text: string, start: number, end: number): Word[] {
  const words = text.trim().split(/\s+/).filter(Boolean)
  const letters = words.reduce((sum, word) => sum + word.length, 0)
  let at = start
  return words.map((word) => {
    const begins = at
    at += letters === 0 ? 0 : ((end - start) * word.length) / letters
    return { word, start: begins, end: at, confidence: null }
  })
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

/** Of a foreign answer, for a log. */
function excerpt(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, 200)
}
