/** The transcripts of the parts of a recording as one. */
import { z } from 'zod'
import { writeTranscript } from './files.ts'
import type { Utterance } from './types.ts'

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

const word = z.looseObject({
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
        words: z.array(word).default([]),
      }),
    ),
  }),
})
const rawSchema = z.looseObject({ transcriptions: z.array(z.unknown()) })

/** Writes the transcript's files; resolves with the parts that it has no words of, or null if no part has any. */
export async function joinTranscripts(
  folder: string,
  { botId, parts, now = () => new Date() }: { botId: string; parts: readonly TranscribedPart[]; now?: () => Date },
): Promise<number[] | null> {
  const utterances: Utterance[] = []
  const raw: unknown[] = []
  const languages = new Set<string>()
  const without: number[] = []
  let provider: string | null = null
  for (const [place, part] of parts.entries()) {
    const parsed = documentSchema.safeParse(part.document)
    const own = parsed.success ? spokenOf(parsed.data) : part.live
    if (parsed.success) {
      provider ??= parsed.data.provider
      for (const language of parsed.data.result.languages) languages.add(language)
    } else if (own.length === 0) without.push(place)
    for (const each of own) if (each.language !== null) languages.add(each.language)
    utterances.push(...own.map((each) => moved(each, part)))
    const answers = rawSchema.safeParse(part.raw)
    if (answers.success) raw.push(...answers.data.transcriptions)
  }
  if (provider === null && utterances.length === 0) return null
  const seconds = parts.reduce((sum, part) => sum + part.seconds, 0)
  await writeTranscript(folder, {
    ...{ botId, provider: provider ?? 'live', createdAt: now(), languages: [...languages], seconds, utterances, raw },
    key: null,
  })
  return without
}

function spokenOf({ result }: z.infer<typeof documentSchema>): Utterance[] {
  return result.utterances.map(({ text, language, start, end, speaker, user_id: userId, words }) => ({
    ...{ text, language, start, end, speaker, userId },
    words: words.map(({ word, start, end, confidence }) => ({ word, start, end, confidence })),
  }))
}

function moved(utterance: Utterance, { base, numberOf }: TranscribedPart): Utterance {
  return {
    ...utterance,
    start: utterance.start + base,
    end: utterance.end + base,
    userId: numberOf(utterance.userId),
    words: utterance.words.map((word) => ({ ...word, start: word.start + base, end: word.end + base })),
  }
}
