/** From a recording's sound and its turns to its transcript. docs/transcription.md describes the files. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createOpenAiCompatible } from './openai-compatible.ts'
import { piecesOf, secondsOf } from './pieces.ts'
import { utterancesOf } from './speakers.ts'
import { subRip, webVtt } from './subtitles.ts'
import type { SpeechProvider, Turn, Utterance, Word } from './types.ts'

export { createOpenAiCompatible, type SpeechProvider }

export const TRANSCRIPT_FILES = [
  'transcription.json',
  'raw_transcription.json',
  'transcription.vtt',
  'transcription.srt',
] as const

/**
 * Transcribes `audio.m4a` in `folder` and writes the transcript's files there. Resolves with the number of utterances;
 * rejects with a plain sentence, and then no file was written.
 */
export async function transcribe(
  folder: string,
  options: { botId: string; provider: SpeechProvider; signal: AbortSignal; now?: () => Date },
): Promise<number> {
  const { provider, signal, botId } = options
  const sound = join(folder, 'audio.m4a')
  const turns = await readTurns(folder)
  const workFolder = await mkdtemp(join(tmpdir(), 'standin-transcription-'))
  try {
    const seconds = await secondsOf(sound, signal)
    const pieces = await piecesOf(sound, { maxSeconds: provider.maxSeconds, turns, folder: workFolder, signal })
    const words: Word[] = []
    const raw: unknown[] = []
    const languages: string[] = []
    for (const { file, start } of pieces) {
      const recognized = await provider.transcribe(file, signal)
      raw.push(recognized.raw)
      if (recognized.language !== null && !languages.includes(recognized.language)) languages.push(recognized.language)
      for (const word of recognized.words) {
        words.push({ ...word, start: milliseconds(word.start + start), end: milliseconds(word.end + start) })
      }
    }
    const utterances = utterancesOf(words, turns, languages[0] ?? null)
    const createdAt = (options.now?.() ?? new Date()).toISOString()
    const files: Record<(typeof TRANSCRIPT_FILES)[number], string> = {
      'transcription.json': json(
        documentOf({ botId, createdAt, provider: provider.name, languages, seconds, utterances }),
      ),
      'raw_transcription.json': json({ bot_id: botId, created_at: createdAt, transcriptions: raw }),
      'transcription.vtt': webVtt(utterances),
      'transcription.srt': subRip(utterances),
    }
    await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)))
    return utterances.length
  } finally {
    await rm(workFolder, { recursive: true, force: true })
  }
}

/** The shape of the service's `transcription` (field notes of the service, 2.6). */
function documentOf(given: {
  botId: string
  createdAt: string
  provider: string
  languages: string[]
  seconds: number
  utterances: Utterance[]
}) {
  return {
    bot_id: given.botId,
    provider: given.provider,
    created_at: given.createdAt,
    result: {
      languages: given.languages,
      total_utterances: given.utterances.length,
      total_duration: milliseconds(given.seconds),
      utterances: given.utterances.map(({ speaker, start, end, text, language, words }) => ({
        text,
        language,
        start,
        end,
        confidence: average(words.map(({ confidence }) => confidence)),
        channel: 0,
        speaker,
        words,
      })),
    },
  }
}

async function readTurns(folder: string): Promise<Turn[]> {
  const text = await readFile(join(folder, 'diarization.jsonl'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    // Nobody was seen to speak; what is heard is nobody's then.
    if (error.code === 'ENOENT') return ''
    throw error
  })
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const { speaker, start_time, end_time } = JSON.parse(line) as Record<string, unknown>
      return { speaker: String(speaker), start: Number(start_time), end: Number(end_time) }
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
  return `${JSON.stringify(content, null, 2)}\n`
}
