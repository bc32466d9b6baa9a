/** From a recording's sound and its turns to its transcript, once the meeting is over. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { messageOf } from '@standin/wire/text/error-text.ts'
import { isSilent, pieceOf, piecesOf, secondsOf } from './audio-chunks.ts'
import { readTurns, writeTranscript } from './files.ts'
import type { LiveResult } from './live.ts'
import { isSilence } from './providers/provider-error.ts'
import { utterancesOf } from './speakers.ts'
import { spread } from './spread.ts'
import type { Recognized, SpeechProvider, Turn, Utterance, Word } from './types.ts'

interface Sources {
  botId: string
  provider: SpeechProvider
  key: string | null
  signal: AbortSignal
  now?: () => Date
}

/**
 * Transcribes `audio.m4a` in `folder` and writes the transcript's files there. Resolves with the number of utterances;
 * rejects with a plain sentence, and then no file was written.
 */
export async function transcribe(folder: string, { provider, key, signal, botId, now }: Sources): Promise<number> {
  const turns = await readTurns(folder)
  const sound = join(folder, 'audio.m4a')
  return inWorkFolder(async (workFolder) => {
    const { words, raw, languages, seconds } = await recognize(sound, { provider, turns, workFolder, signal })
    const utterances = utterancesOf(words, turns, languages[0] ?? null)
    const createdAt = now?.() ?? new Date()
    const facts = { botId, provider: provider.name, createdAt, languages, seconds, utterances, raw, key }
    await writeTranscript(folder, facts)
    return utterances.length
  })
}

async function inWorkFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'standin-transcription-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The words of a file of sound, in its seconds. */
async function recognize(
  sound: string,
  options: { provider: SpeechProvider; turns: readonly Turn[]; workFolder: string; signal: AbortSignal },
) {
  const { provider, turns, workFolder, signal } = options
  if (provider.afterwards === null) throw new Error(`${provider.name} cannot transcribe a file.`)
  const { maxSeconds, transcribe: recognizeFile } = provider.afterwards
  const recognizedIn = async (file: string, inside: readonly Turn[]): Promise<Recognized> => {
    const nothing = { raw: null, words: [], language: null }
    // Services charge for silence, and some find words in it.
    if (inside.length === 0 && (await isSilent(file, signal))) return nothing
    return recognizeFile(file, signal).catch((error) => {
      if (inside.length > 0 || !isSilence(messageOf(error))) throw error
      return nothing
    })
  }
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
  return { words, raw, languages, seconds }
}

/** Recognizers need a little more than the hole to hear the words at its ends. Seconds. */
const AROUND = 0.3

/** The live transcript with the words of its holes, from the recording. */
async function filled(folder: string, live: LiveResult, { provider, signal }: Sources): Promise<LiveResult> {
  const turns = await readTurns(folder)
  const sound = join(folder, 'audio.m4a')
  const seconds = await secondsOf(sound, signal)
  const utterances = [...(live.utterances ?? utterancesOf(live.words, turns, live.languages[0] ?? null))]
  const result = { ...live, raw: [...live.raw], languages: [...live.languages], holes: [], utterances }
  for (const { start, end } of togetherOf(live.holes)) {
    const from = Math.max(0, start - AROUND)
    const until = Math.min(seconds, end + AROUND)
    if (until <= from) continue
    const inside = turns.map((turn) => ({ ...turn, start: turn.start - from, end: turn.end - from }))
    const found = await inWorkFolder(async (workFolder) => {
      const piece = await pieceOf(sound, { from, until, folder: workFolder, signal })
      const within = inside.filter((turn) => turn.end > 0 && turn.start < until - from)
      return recognize(piece, { provider, turns: within, workFolder, signal })
    })
    result.raw.push(...found.raw)
    for (const language of found.languages) if (!result.languages.includes(language)) result.languages.push(language)
    const words = found.words.map((word) => ({ ...word, start: word.start + from, end: word.end + from }))
    // A hole of one voice has the others in it, whose words are known.
    const missing = words.filter((word) => {
      const middle = (word.start + word.end) / 2
      const [{ userId }] = utterancesOf([word], turns, null) as [Utterance]
      const isMissing = (hole: Hole) => (hole.userId === null || hole.userId === userId) && isIn(hole, middle)
      return live.holes.some(isMissing)
    })
    utterances.push(...utterancesOf(missing, turns, found.languages[0] ?? live.languages[0] ?? null))
  }
  utterances.sort((one, other) => one.start - other.start)
  return result
}

type Hole = LiveResult['holes'][number]

const isIn = ({ start, end }: Pick<Hole, 'start' | 'end'>, second: number) => second >= start && second <= end

function togetherOf(holes: readonly Hole[]): { start: number; end: number }[] {
  const all: { start: number; end: number }[] = []
  for (const { start, end } of holes.toSorted((one, other) => one.start - other.start)) {
    const last = all.at(-1)
    if (last !== undefined && start <= last.end + AROUND * 2) last.end = Math.max(last.end, end)
    else all.push({ start, end })
  }
  return all
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
  const missing = live === null ? 'Nothing was heard.' : whatIsMissing(live)
  if (live !== null && missing === null && (!isAfterwards || provider.afterwards === null)) return writeLive(live)
  const hasWords = live !== null && (live.utterances ?? live.words).length > 0
  if (provider.afterwards === null) {
    if (!hasWords) throw new Error(missing ?? 'Nothing was heard.')
    notice(`The transcript is not whole: ${missing}`)
    return writeLive(live)
  }
  try {
    if (!isAfterwards && hasWords && live.gap === null) {
      notice(`The live transcript is not whole, so the rest is made from the recording: ${missing}`)
      return await writeLive(await filled(folder, live, { ...common, provider }))
    }
    if (!isAfterwards) notice(`The live transcript is not whole, so it is made from the recording: ${missing}`)
    return await transcribe(folder, { ...common, provider })
  } catch (error) {
    signal.throwIfAborted()
    if (!hasWords) throw error
    const reason = messageOf(error)
    notice(`The transcript is the live one, since the recording could not be transcribed: ${reason}`)
    return writeLive(live)
  }
}

function whatIsMissing({ gap, holes }: LiveResult): string | null {
  if (gap !== null || holes.length === 0) return gap
  const seconds = togetherOf(holes).reduce((sum, { start, end }) => sum + end - start, 0)
  return `${Math.ceil(seconds)} s of sound have no words.`
}
