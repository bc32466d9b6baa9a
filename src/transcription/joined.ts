/** The transcripts of the parts of a recording as one. */
import { answersIn, transcriptOf, writeTranscript } from './files.ts'
import type { Hole, Utterance } from './types.ts'

export interface TranscribedPart {
  /** `transcription.json` as parsed; null if the part has none. */
  document: unknown
  /** `raw_transcription.json`, likewise. */
  raw: unknown
  /** Utterances of the live transcript; used if the part never got a transcript file. */
  live: readonly Utterance[]
  /** Of the recording before this part. */
  base: number
  seconds: number
  /** A person's number in the whole recording. */
  numberOf(id: number | null): number | null
}

/** Writes the transcript's files; resolves with the parts that it has no words of, or null if no part has any. */
export async function joinTranscripts(
  folder: string,
  { botId, parts, now = () => new Date() }: { botId: string; parts: readonly TranscribedPart[]; now?: () => Date },
): Promise<number[] | null> {
  const utterances: Utterance[] = []
  const holes: Hole[] = []
  const raw: unknown[] = []
  const languages = new Set<string>()
  const without: number[] = []
  let provider: string | null = null
  for (const [place, part] of parts.entries()) {
    const stored = transcriptOf(part.document, part.raw)
    const own = stored?.utterances ?? part.live
    if (stored !== null) {
      provider ??= stored.provider
      for (const language of stored.languages) languages.add(language)
      holes.push(...stored.holes.map((hole) => placed(hole, part)))
    } else if (own.length === 0) without.push(place)
    for (const each of own) if (each.language !== null) languages.add(each.language)
    utterances.push(...own.map((each) => moved(each, part)))
    raw.push(...answersIn(part.raw))
  }
  if (provider === null && utterances.length === 0) return null
  const seconds = parts.reduce((sum, part) => sum + part.seconds, 0)
  await writeTranscript(folder, {
    ...{
      botId,
      provider: provider ?? 'live',
      createdAt: now(),
      languages: [...languages],
      seconds,
      utterances,
      holes,
      raw,
    },
    key: null,
  })
  return without
}

function moved(utterance: Utterance, part: TranscribedPart): Utterance {
  const { base } = part
  const words = utterance.words.map((word) => ({ ...word, start: word.start + base, end: word.end + base }))
  return { ...placed(utterance, part), words }
}

function placed<T extends Pick<Hole, 'start' | 'end' | 'userId'>>(it: T, { base, numberOf }: TranscribedPart): T {
  return { ...it, start: it.start + base, end: it.end + base, userId: numberOf(it.userId) }
}
