/**
 * Answers of OpenAI's `POST /audio/transcriptions` and of the servers that speak it: OpenAI, Groq, speaches, vLLM,
 * whisper.cpp, whisperX. They agree on little, so each value is read by itself and an odd one is left out.
 */
import { withoutMarks } from '../sound-marks.ts'
import { spread } from '../spread.ts'
import { type Token, wordsOfTokens } from '../tokens.ts'
import type { Recognized, Word } from '../types.ts'

type Fields = Readonly<Record<string, unknown>>

/** Null if this is no transcription. */
export function recognizedIn(answer: unknown): Omit<Recognized, 'raw'> | null {
  if (!isFields(answer)) return null
  const { words: given, word_segments: aligned, segments, transcription, text: whole } = answer
  const all = fieldsIn(segments ?? transcription)
  const parts = all.filter((segment) => !isNoSpeech(segment)).map(segmentOf)
  const silent = all.filter(isNoSpeech).map(timesOf)
  const alone = (tokensIn(given).length > 0 ? tokensIn(given) : tokensIn(aligned)).filter(
    (token) => !isNoSpeech({ text: token.word }) && !silent.some((times) => isIn(times, token)),
  )
  const isTranscription = [given, aligned, segments, transcription].some(Array.isArray) || typeof whole === 'string'
  if (!isTranscription) return null
  const own = parts.some(({ tokens }) => tokens.length > 0)
  const duration = secondsIn(answer.duration)
  const tokens = alone.length > 0 && !own ? alone : parts.flatMap((part) => tokensOfSegment(part, duration))
  const hasText = typeof whole === 'string' && whole.trim() !== '' && silent.length === 0
  const text = hasText ? (isNoSpeech({ text: whole }) ? '' : whole) : (textOf(parts) ?? (silent.length > 0 ? '' : null))
  const language = languageIn(answer)
  if (tokens.some(({ start }) => start !== null)) return { words: wordsOfTokens(tokens, text), language }
  // Words alone say nothing about when they were said; with a text beside them the answer is a transcript.
  if (tokens.length > 0 && text === null) return null
  if (text === null || duration !== null) return { words: spread(text ?? '', 0, duration ?? 0), language }
  return { words: [], untimed: text, language }
}

/** The words of an answer; none if it is no transcription. */
export function wordsOf(answer: unknown): Word[] {
  return recognizedIn(answer)?.words ?? []
}

/** Whisper's own rule, of its `transcribe.py`: above the one, unless it is sure of the words. */
const NO_SPEECH = 0.6
const UNSURE = -1

/** The service itself says that nothing was said, or the text is marks of sounds alone. */
function isNoSpeech({ no_speech_prob: noSpeech, avg_logprob: sureness, text }: Fields): boolean {
  if (typeof text === 'string' && text.trim() !== '' && withoutMarks(text) === '') return true
  return Number(noSpeech) > NO_SPEECH && Number(sureness) < UNSURE
}

function isIn(segment: { start: number | null; end: number | null }, { start, end }: Token): boolean {
  if (segment.start === null || segment.end === null || start === null) return false
  const middle = (start + (end ?? start)) / 2
  return middle >= segment.start && middle < segment.end
}

interface Segment {
  text: string
  start: number | null
  end: number | null
  tokens: Token[]
}

function segmentOf(fields: Fields): Segment {
  return {
    text: typeof fields.text === 'string' ? fields.text : '',
    ...timesOf(fields),
    tokens: tokensIn(fields.words),
  }
}

/** The words of a segment that has none share its time. */
function tokensOfSegment({ tokens, text, start, end }: Segment, duration: number | null): Token[] {
  if (tokens.length > 0) return tokens
  if (start === null) return spread(text, 0, 0).map((word) => ({ ...word, start: null, end: null }))
  const from = Math.max(0, start)
  return spread(text, from, Math.max(from, end ?? duration ?? from))
}

/** Segments bring their own blanks, or none at all. */
function textOf(segments: readonly Segment[]): string | null {
  const texts = segments.map(({ text }) => text).filter((text) => text.trim() !== '')
  if (texts.length === 0) return null
  const hasBlanks = texts.some((text) => /^\s|\s$/.test(text))
  return texts.join(hasBlanks ? '' : ' ')
}

function tokensIn(words: unknown): Token[] {
  if (!Array.isArray(words)) return []
  return words.map((given) => {
    const fields = isFields(given) ? given : {}
    const word = fields.word ?? fields.text
    const confidence = [fields.probability, fields.score, fields.confidence, fields.p].find(
      (value) => typeof value === 'number',
    )
    const known = typeof confidence === 'number' ? confidence : null
    return { word: typeof word === 'string' ? word : '', ...timesOf(fields), confidence: known }
  })
}

/** Seconds; whisper.cpp has milliseconds in `offsets` and clock times in `timestamps`. */
function timesOf({ start, end, offsets, timestamps }: Fields): { start: number | null; end: number | null } {
  const { from, to } = isFields(offsets) ? offsets : isFields(timestamps) ? timestamps : {}
  const unit = isFields(offsets) ? 1000 : 1
  const inSeconds = (value: unknown) => {
    const seconds = secondsIn(value)
    return seconds === null ? null : seconds / unit
  }
  return { start: secondsIn(start) ?? inSeconds(from), end: secondsIn(end) ?? inSeconds(to) }
}

/** Null if the value is no time. Some servers write numbers as text, or as `00:00:01,000`. */
function secondsIn(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value !== 'string') return null
  const clock = /^(?:(\d+):)?(\d{1,2}):(\d{1,2}(?:[.,]\d+)?)$/.exec(value.trim())
  if (clock) return Number(clock[1] ?? 0) * 3600 + Number(clock[2]) * 60 + Number(clock[3]!.replace(',', '.'))
  return value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : null
}

function languageIn({ language, result }: Fields): string | null {
  const named = language ?? (isFields(result) ? result.language : null)
  return typeof named === 'string' && named !== '' ? named : null
}

function fieldsIn(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : []
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
