/** The transcript's files in a recording's folder. docs/artifacts.md has their formats. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { jsonText } from '@standin/wire/text/json-text.ts'
import { writeWholeFile } from '../../packages/core/process/atomic-file.ts'
import { withoutKey } from './providers/provider-error.ts'
import { subRip, webVtt } from './subtitles.ts'
import type { Turn, Utterance } from './types.ts'

export interface Transcript {
  botId: string
  provider: string
  createdAt: Date
  languages: readonly string[]
  /** Length of the recording. */
  seconds: number
  utterances: readonly Utterance[]
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

/** The shape of the service's `transcription` (docs/artifacts.md); `user_id` is an addition of ours. */
function documentOf({ botId, provider, languages, seconds, utterances }: Transcript, created_at: string) {
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
    },
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

function milliseconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000
}

function json(content: unknown): string {
  return `${jsonText(content, 2)}\n`
}
