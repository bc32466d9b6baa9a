/** The transcript's files in a recording's folder. docs/artifacts.md has their formats. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { jsonText, parseJson } from '@standin/wire/text/json-text.ts'
import { milliseconds } from '@standin/wire/time/written-time.ts'
import { z } from 'zod'
import { writeWholeFile } from '../../packages/core/process/atomic-file.ts'
import { withoutKey } from './providers/provider-error.ts'
import { subRip, webVtt } from './subtitles.ts'
import type { Hole, Turn, Utterance } from './types.ts'

export interface Transcript {
  botId: string
  provider: string
  createdAt: Date
  languages: readonly string[]
  /** Length of the recording. */
  seconds: number
  utterances: readonly Utterance[]
  /** Stretches that the service could not transcribe. */
  holes?: readonly Hole[]
  /** The provider's answers, unchanged. */
  raw: readonly unknown[]
  /** Never written, wherever a service may repeat it. */
  key: string | null
}

export async function writeTranscript(folder: string, transcript: Transcript): Promise<void> {
  const { botId, utterances, raw, key } = transcript
  const created_at = transcript.createdAt.toISOString()
  const files = {
    'transcription.json': json(documentOf(transcript, created_at)),
    'raw_transcription.json': json({ bot_id: botId, created_at, transcriptions: raw }),
    'transcription.vtt': webVtt(utterances),
    'transcription.srt': subRip(utterances),
  }
  await Promise.all(
    Object.entries(files).map(([name, text]) => writeWholeFile(join(folder, name), withoutKey(text, key))),
  )
}

/** The shape of the service's `transcription` (docs/artifacts.md); `user_id` and `holes` are additions of ours. */
function documentOf({ botId, provider, languages, seconds, utterances, holes = [] }: Transcript, created_at: string) {
  return {
    bot_id: botId,
    provider,
    created_at,
    result: {
      languages,
      total_utterances: utterances.length,
      total_duration: milliseconds(seconds),
      utterances: utterances.map(({ speaker, userId, start, end, text, language, words }) => ({
        text,
        language,
        start: milliseconds(start),
        end: milliseconds(end),
        confidence: average(words.map(({ confidence }) => confidence)),
        channel: 0,
        speaker,
        user_id: userId,
        words: words.map(({ word, start, end, confidence }) => ({
          ...{ word, start: milliseconds(start), end: milliseconds(end), confidence },
        })),
      })),
      ...(holes.length > 0 && {
        holes: holes.map(({ start, end, userId: user_id, reason }) => ({
          ...{ start: milliseconds(start), end: milliseconds(end), user_id, reason },
        })),
      }),
    },
  }
}

const wordSchema = z.looseObject({
  word: z.string(),
  start: z.number(),
  end: z.number(),
  confidence: z.number().nullable().default(null),
})
const documentSchema = z.looseObject({
  provider: z.string(),
  result: z.looseObject({
    languages: z.array(z.string()).default([]),
    utterances: z.array(
      z.looseObject({
        text: z.string(),
        language: z.string().nullable(),
        start: z.number(),
        end: z.number(),
        speaker: z.string(),
        user_id: z.number().nullable().default(null),
        words: z.array(wordSchema).default([]),
      }),
    ),
    holes: z
      .array(
        z.looseObject({
          start: z.number(),
          end: z.number(),
          user_id: z.number().nullable().default(null),
          reason: z.string().default(''),
        }),
      )
      .default([]),
  }),
})
const rawSchema = z.looseObject({ transcriptions: z.array(z.unknown()) })

interface StoredTranscript {
  provider: string
  languages: string[]
  utterances: Utterance[]
  holes: Hole[]
  raw: unknown[]
}

/** What `transcription.json` and `raw_transcription.json` hold, as parsed; null if the former is no transcript. */
export function transcriptOf(document: unknown, rawDocument: unknown): StoredTranscript | null {
  const parsed = documentSchema.safeParse(document)
  if (!parsed.success) return null
  const { provider, result } = parsed.data
  return {
    provider,
    languages: result.languages,
    utterances: result.utterances.map(({ text, language, start, end, speaker, user_id: userId, words }) => ({
      ...{ text, language, start, end, speaker, userId },
      words: words.map(({ word, start, end, confidence }) => ({ word, start, end, confidence })),
    })),
    holes: result.holes.map(({ start, end, user_id: userId, reason }) => ({ start, end, userId, reason })),
    raw: answersIn(rawDocument),
  }
}

/** The provider's answers in `raw_transcription.json` as parsed; none if it is something else. */
export function answersIn(rawDocument: unknown): unknown[] {
  return rawSchema.safeParse(rawDocument).data?.transcriptions ?? []
}

/** The transcript that the folder has; null without one, also if its file is damaged. */
export async function readTranscript(folder: string): Promise<StoredTranscript | null> {
  const parsed = async (name: string): Promise<unknown> =>
    parseJson(await readFile(join(folder, name), 'utf8').catch(() => 'null'))
  try {
    return transcriptOf(await parsed('transcription.json'), await parsed('raw_transcription.json').catch(() => null))
  } catch {
    return null
  }
}

/** The speaker turns that were seen in the meeting; empty if there were none. */
export async function readTurns(folder: string): Promise<Turn[]> {
  const text = await readFile(join(folder, 'diarization.jsonl'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const { speaker, user_id: userId, start_time, end_time } = JSON.parse(line) as Record<string, unknown>
      return {
        speaker: String(speaker),
        userId: typeof userId === 'number' ? userId : null,
        start: Number(start_time),
        end: Number(end_time),
      }
    })
}

function average(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : milliseconds(known.reduce((sum, value) => sum + value, 0) / known.length)
}

function json(content: unknown): string {
  return `${jsonText(content, 2)}\n`
}
