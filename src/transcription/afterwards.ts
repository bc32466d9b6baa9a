/** From a recording's sound and its turns to its transcript, once the meeting is over. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { messageOf } from '@standin/wire/text/error-text.ts'
import { isSilent, pieceOf, piecesOf, secondsOf } from './audio-chunks.ts'
import { Failures } from './failures.ts'
import { readTranscript, readTurns, writeTranscript } from './files.ts'
import type { LiveResult } from './live.ts'
import { isSilence, isTimeUp } from './providers/provider-error.ts'
import { utterancesOf } from './speakers.ts'
import { spread } from './spread.ts'
import type { TellApart } from './told-apart.ts'
import type { Hole, Recognized, SpeechProvider, Turn, Utterance, Word } from './types.ts'

interface Sources {
  botId: string
  provider: SpeechProvider
  key: string | null
  signal: AbortSignal
  /** Takes a sentence about what the transcript lacks. */
  notice?(message: string): void
  /** Its words are used where a piece of the recording could not be transcribed. */
  live?: LiveResult | null
  /** Absent: people who share a microphone are one. */
  tellApart?: TellApart | null
  now?: () => Date
}

/**
 * Transcribes `audio.m4a` in `folder` and writes the transcript's files there. If they are there already, by this provider
 * and with holes, only these are transcribed. Resolves with the number of utterances, also if there are no words of a
 * piece; rejects with a plain sentence if there is nothing new, and then no file was written.
 */
export async function transcribe(folder: string, sources: Sources): Promise<number> {
  const { provider, key, signal, botId, now, notice, live = null, tellApart } = sources
  const stored = await readTranscript(folder)
  if (stored !== null && stored.holes.length > 0 && stored.provider === provider.name) {
    const { missing, ...whole } = await filled(folder, { ...stored, words: [], gap: null }, sources)
    if (missing.length > 0) notice?.(`The transcript is not whole: ${namesOf(missing)}`)
    const options = { botId, provider: provider.name, key, live: whole, missing, signal, now, tellApart }
    return writeLiveTranscript(folder, options)
  }
  const turns = await readTurns(folder)
  const sound = join(folder, 'audio.m4a')
  return inWorkFolder(async (workFolder) => {
    const made = await recognize(sound, { provider, turns, workFolder, signal })
    const { raw, languages, seconds } = made
    const { words, holes } = live ? withLive(made, live) : made
    if (made.holes.length > 0) {
      const isWorse = stored !== null && stored.utterances.length > 0 && stored.holes.length === 0
      if (isWorse) throw new Error(`${namesOf(made.holes)} The earlier transcript stays.`)
      const rest = words === made.words ? 'The transcript is not whole' : 'Some words are those that were heard live'
      notice?.(`${rest}: ${namesOf(made.holes)}`)
    }
    const spoken = utterancesOf(words, turns, languages[0] ?? null)
    const utterances = (await tellApart?.(sound, spoken, signal)) ?? spoken
    const createdAt = now?.() ?? new Date()
    await writeTranscript(folder, {
      ...{ botId, provider: provider.name, createdAt, languages, seconds, utterances, holes, raw, key },
    })
    return utterances.length
  })
}

/** The words of a recording, with those that were heard live in its holes. */
function withLive({ words, holes }: { words: Word[]; holes: Hole[] }, live: LiveResult) {
  const heardIn = (hole: Hole) => live.words.filter(({ start, end }) => isIn(hole, (start + end) / 2))
  const heard = holes.flatMap(heardIn)
  if (heard.length === 0) return { words, holes }
  const left = holes.flatMap((hole) => (heardIn(hole).length > 0 ? partsIn(live.holes, hole, hole.reason) : [hole]))
  return { words: [...words, ...heard], holes: left }
}

/** What of the holes is in this stretch. */
function partsIn(holes: readonly LiveHole[], stretch: Pick<Hole, 'start' | 'end'>, reason: string): Hole[] {
  return holes
    .map(({ start, end, userId }) => ({
      ...{ start: Math.max(start, stretch.start), end: Math.min(end, stretch.end), userId, reason },
    }))
    .filter(({ start, end }) => start < end)
}

/** Such as `15:00–30:00 could not be transcribed: api.example answered with status 500.` */
function namesOf(holes: readonly Hole[]): string {
  const clock = (seconds: number) => new Date(seconds * 1000).toISOString().slice(seconds < 3600 ? 14 : 11, 19)
  const stretches = togetherOf(holes).map(({ start, end }) => `${clock(start)}–${clock(end)}`)
  return `${stretches.join(', ')} could not be transcribed: ${holes[0]!.reason.replace(/\.$/, '')}.`
}

async function inWorkFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'standin-transcription-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** So long is a word at least that a service finds behind the end of the sound. Seconds. */
const MIN_WORD_SECONDS = 0.01

/**
 * The words of a file of sound, in its seconds, and the pieces of it that could not be transcribed. Rejects with the first
 * failure if that is all of them.
 */
async function recognize(
  sound: string,
  options: {
    provider: SpeechProvider
    turns: readonly Turn[]
    workFolder: string
    /** Longer than the provider's own by a little, if the sound was a piece before. */
    maxSeconds?: number
    signal: AbortSignal
  },
) {
  const { provider, turns, workFolder, signal } = options
  if (provider.afterwards === null) throw new Error(`${provider.name} cannot transcribe a file.`)
  const { maxSeconds, transcribe: recognizeFile } = provider.afterwards
  const nothing = { raw: null, words: [], language: null }
  const failures = new Failures(signal)
  const recognizedIn = async (file: string, inside: readonly Turn[]): Promise<Recognized> => {
    // Services charge for silence, and some find words in it.
    if (inside.length === 0 && (await isSilent(file, signal))) return nothing
    failures.throwIfHopeless()
    return recognizeFile(file, signal).catch((error) => {
      if (inside.length > 0 || !isSilence(messageOf(error))) throw error
      return nothing
    })
  }
  const seconds = await secondsOf(sound, signal)
  const pieces = await piecesOf(sound, {
    ...{ maxSeconds: options.maxSeconds ?? maxSeconds, turns, folder: workFolder, signal },
  })
  const words: Word[] = []
  const raw: unknown[] = []
  const languages: string[] = []
  const holes: Hole[] = []
  let isAnswered = false
  for (const [index, { file, start }] of pieces.entries()) {
    const end = pieces[index + 1]?.start ?? seconds
    const inside = turns.filter((turn) => turn.end > start && turn.start < end)
    const recognized = await recognizedIn(file, inside).catch((error: unknown) => {
      holes.push({ start, end, userId: null, reason: failures.take(error) })
      return null
    })
    if (recognized === null) continue
    isAnswered ||= recognized !== nothing
    words.push(...placed(recognized.untimed ?? '', inside, start, end))
    raw.push(recognized.raw)
    if (recognized.language !== null && !languages.includes(recognized.language)) languages.push(recognized.language)
    for (const [place, word] of recognized.words.entries()) {
      // Services find words behind the end of the sound, which has no place for them.
      const latest = Math.max(0, seconds - MIN_WORD_SECONDS * (recognized.words.length - place))
      const begins = Math.min(Math.max(0, word.start) + start, latest)
      const ends = Math.min(Math.max(begins + MIN_WORD_SECONDS, word.end + start), seconds)
      words.push({ ...word, start: begins, end: ends })
    }
  }
  if (!isAnswered) failures.throwFirst()
  return { words, raw, languages, seconds, holes }
}

/** Recognizers need a little more than the hole to hear the words at its ends. Seconds. */
const AROUND = 0.3
/** Cuts are between frames of the sound. */
const FRAME_SECONDS = 0.1

/**
 * The live transcript, or an earlier one, with the words of its holes from the recording; `missing` is what still has none.
 * Rejects with the first failure if that is all of them.
 */
async function filled(
  folder: string,
  live: LiveResult,
  { provider, signal }: Sources,
): Promise<LiveResult & { missing: Hole[] }> {
  const turns = await readTurns(folder)
  const sound = join(folder, 'audio.m4a')
  const seconds = await secondsOf(sound, signal)
  const utterances = [...live.utterances]
  const result = { ...live, raw: [...live.raw], languages: [...live.languages], holes: [], utterances }
  const missing: Hole[] = []
  const maxSeconds = (provider.afterwards?.maxSeconds ?? 0) + 2 * (AROUND + FRAME_SECONDS)
  const failures = new Failures(signal)
  let isAnswered = false
  for (const { start, end } of togetherOf(live.holes)) {
    const from = Math.max(0, start - AROUND)
    const until = Math.min(seconds, end + AROUND)
    if (until <= from) continue
    const leaveOut = (stretch: Pick<Hole, 'start' | 'end'>, reason: string) =>
      missing.push(...partsIn(live.holes, stretch, reason))
    const inside = turns.map((turn) => ({ ...turn, start: turn.start - from, end: turn.end - from }))
    const work = inWorkFolder(async (workFolder) => {
      failures.throwIfHopeless()
      const piece = await pieceOf(sound, { from, until, folder: workFolder, signal })
      const within = inside.filter((turn) => turn.end > 0 && turn.start < until - from)
      return recognize(piece, { provider, turns: within, workFolder, maxSeconds, signal })
    })
    const found = await work.catch((error: unknown) => {
      leaveOut({ start, end }, failures.take(error))
      return null
    })
    if (found === null) continue
    isAnswered = true
    for (const hole of found.holes) leaveOut({ start: hole.start + from, end: hole.end + from }, hole.reason)
    result.raw.push(...found.raw)
    for (const language of found.languages) if (!result.languages.includes(language)) result.languages.push(language)
    const words = found.words.map((word) => ({ ...word, start: word.start + from, end: word.end + from }))
    // A hole of one voice has the others in it, whose words are known.
    const fresh = words.filter((word) => {
      const middle = (word.start + word.end) / 2
      const [{ userId }] = utterancesOf([word], turns, null) as [Utterance]
      const isMissing = (hole: LiveHole) => (hole.userId === null || hole.userId === userId) && isIn(hole, middle)
      return live.holes.some(isMissing)
    })
    utterances.push(...utterancesOf(fresh, turns, found.languages[0] ?? live.languages[0] ?? null))
  }
  if (!isAnswered) failures.throwFirst()
  utterances.sort((one, other) => one.start - other.start)
  return { ...result, missing }
}

type LiveHole = LiveResult['holes'][number]

const isIn = ({ start, end }: Pick<LiveHole, 'start' | 'end'>, second: number) => second >= start && second <= end

function togetherOf(holes: readonly LiveHole[]): { start: number; end: number }[] {
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
    /** Stretches without words whose reason is known. */
    missing?: readonly Hole[]
    signal: AbortSignal
    now?: (() => Date) | undefined
    tellApart?: TellApart | null | undefined
  },
): Promise<number> {
  const { botId, provider, key, live, missing: holes = [] } = options
  // What is there is written also if the time for more is over.
  const signal = isTimeUp(options.signal) ? AbortSignal.timeout(WRITE_MS) : options.signal
  const { languages, raw } = live
  const sound = join(folder, 'audio.m4a')
  const utterances = (await options.tellApart?.(sound, live.utterances, signal)) ?? live.utterances
  const seconds = await secondsOf(sound, signal)
  const createdAt = options.now?.() ?? new Date()
  await writeTranscript(folder, { botId, provider, createdAt, languages, seconds, utterances, holes, raw, key })
  return utterances.length
}

const WRITE_MS = 10_000

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
    tellApart?: TellApart | null
  },
): Promise<number> {
  const { botId, provider, key, live, isAfterwards, notice, signal, tellApart = null } = options
  const common = { botId, key, signal, tellApart }
  const writeLive = (heard: LiveResult, missing: readonly Hole[] = []) =>
    writeLiveTranscript(folder, { ...common, provider: provider.name, live: heard, missing })
  const missing = live === null ? 'Nothing was heard.' : whatIsMissing(live)
  if (live !== null && missing === null && (!isAfterwards || provider.afterwards === null)) return writeLive(live)
  const hasWords = live !== null && live.utterances.length > 0
  if (provider.afterwards === null) {
    if (!hasWords) throw new Error(missing ?? 'Nothing was heard.')
    notice(`The transcript is not whole: ${missing}`)
    return writeLive(live)
  }
  try {
    if (!isAfterwards && hasWords && live.gap === null) {
      notice(`The live transcript is not whole, so the rest is made from the recording: ${missing}`)
      const { missing: rest, ...made } = await filled(folder, live, { ...common, provider })
      if (rest.length > 0) notice(`The transcript is still not whole: ${namesOf(rest)}`)
      return await writeLive(made, rest)
    }
    if (!isAfterwards) notice(`The live transcript is not whole, so it is made from the recording: ${missing}`)
    return await transcribe(folder, { ...common, provider, notice, live })
  } catch (error) {
    if (!isTimeUp(signal)) signal.throwIfAborted()
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
