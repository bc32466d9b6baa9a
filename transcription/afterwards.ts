/** From a recording's sound and its turns to its transcript, once the meeting is over. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { messageOf } from '@standin/base/error-text.ts'
import { isSilent, piecesOf, secondsOf } from './audio-chunks.ts'
import { readTurns, writeTranscript } from './files.ts'
import type { LiveResult } from './live.ts'
import { isSilence } from './providers/provider-error.ts'
import { utterancesOf } from './speakers.ts'
import { spread } from './spread.ts'
import type { Recognized, SpeechProvider, Turn, Word } from './types.ts'

/**
 * Transcribes `audio.m4a` in `folder` and writes the transcript's files there. Resolves with the number of utterances;
 * rejects with a plain sentence, and then no file was written.
 */
export async function transcribe(
  folder: string,
  options: { botId: string; provider: SpeechProvider; key: string | null; signal: AbortSignal; now?: () => Date },
): Promise<number> {
  const { provider, key, signal, botId } = options
  if (provider.afterwards === null) throw new Error(`${provider.name} cannot transcribe a file.`)
  const { maxSeconds, transcribe: recognize } = provider.afterwards
  const sound = join(folder, 'audio.m4a')
  const turns = await readTurns(folder)
  const workFolder = await mkdtemp(join(tmpdir(), 'standin-transcription-'))
  const recognizedIn = async (file: string, inside: readonly Turn[]): Promise<Recognized> => {
    const nothing = { raw: null, words: [], language: null }
    // Services charge for silence, and some find words in it.
    if (inside.length === 0 && (await isSilent(file, signal))) return nothing
    return recognize(file, signal).catch((error) => {
      if (inside.length > 0 || !isSilence(messageOf(error))) throw error
      return nothing
    })
  }
  try {
    const seconds = await secondsOf(sound, signal)
    const pieces = await piecesOf(sound, { maxSeconds, turns, folder: workFolder, signal })
    const words: Word[] = []
    const raw: unknown[] = []
    const languages: string[] = []
    for (const [index, { file, start }] of pieces.entries()) {
      const end = pieces[index + 1]?.start ?? seconds
      const inside = turns.filter((turn) => turn.end > start && turn.start < end)
      const recognized = await recognizedIn(file, inside)
      words.push(...placed(recognized.untimed ?? '', inside, start, end))
      raw.push(recognized.raw)
      if (recognized.language !== null && !languages.includes(recognized.language)) languages.push(recognized.language)
      // Services find words behind the end of the sound, which has no place for them.
      const at = (time: number) => Math.min(Math.max(0, time) + start, seconds)
      words.push(...recognized.words.map((word) => ({ ...word, start: at(word.start), end: at(word.end) })))
    }
    const utterances = utterancesOf(words, turns, languages[0] ?? null)
    const createdAt = options.now?.() ?? new Date()
    await writeTranscript(folder, {
      ...{ botId, provider: provider.name, createdAt, languages, seconds, utterances, raw, key },
    })
    return utterances.length
  } finally {
    await rm(workFolder, { recursive: true, force: true })
  }
}

/** A text without times was said while participants spoke, or else at any time of the piece. */
function placed(text: string, turns: readonly Turn[], start: number, end: number): Word[] {
  if (text.trim() === '') return []
  const from = Math.max(start, Math.min(...turns.map((turn) => turn.start), end))
  const until = Math.min(end, Math.max(...turns.map((turn) => turn.end), from))
  return turns.length === 0 ? spread(text, start, end) : spread(text, from, until)
}

/** Writes the transcript that was made during the meeting. Resolves with the number of utterances. */
export async function writeLiveTranscript(
  folder: string,
  options: {
    botId: string
    provider: string
    key: string | null
    live: LiveResult
    signal: AbortSignal
    now?: () => Date
  },
): Promise<number> {
  const { botId, provider, key, live, signal } = options
  const { languages, raw } = live
  const utterances = live.utterances ?? utterancesOf(live.words, await readTurns(folder), languages[0] ?? null)
  const seconds = await secondsOf(join(folder, 'audio.m4a'), signal)
  const createdAt = options.now?.() ?? new Date()
  await writeTranscript(folder, { botId, provider, createdAt, languages, seconds, utterances, raw, key })
  return utterances.length
}

/**
 * The transcript when the meeting is over: what was heard live, if that is whole and nothing better is asked for, or
 * from the stored sound. Each is the other's way out. Rejects with a plain sentence if there are no words at all.
 */
export async function finishTranscript(
  folder: string,
  options: {
    botId: string
    provider: SpeechProvider
    key: string | null
    live: LiveResult | null
    isAfterwards: boolean
    notice(message: string): void
    signal: AbortSignal
  },
): Promise<number> {
  const { botId, provider, key, live, isAfterwards, notice, signal } = options
  const common = { botId, key, signal }
  const writeLive = (heard: LiveResult) =>
    writeLiveTranscript(folder, { ...common, provider: provider.name, live: heard })
  if (live?.gap === null && (!isAfterwards || provider.afterwards === null)) return writeLive(live)
  const hasWords = live !== null && (live.utterances ?? live.words).length > 0
  if (provider.afterwards === null) {
    if (!hasWords) throw new Error(live?.gap ?? 'Nothing was heard.')
    notice(`The transcript is not whole: ${live.gap}`)
    return writeLive(live)
  }
  if (!isAfterwards) notice(`The live transcript is not whole, so it is made from the recording: ${live?.gap}`)
  try {
    return await transcribe(folder, { ...common, provider })
  } catch (error) {
    signal.throwIfAborted()
    if (!hasWords) throw error
    const reason = messageOf(error)
    notice(`The transcript is the live one, since the recording could not be transcribed: ${reason}`)
    return writeLive(live)
  }
}
