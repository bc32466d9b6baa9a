/** Ids under which a speech provider keeps transcripts, as its answers in `raw_transcription.json` name them. */
import { z } from 'zod'

/** A meeting is sent in few pieces. */
const MAX_IDS = 200
const rawSchema = z.looseObject({ transcriptions: z.array(z.unknown()) })
const answerSchema = z.looseObject({ id: z.string().regex(/^[\w-]{1,100}$/) })

/** Providers that keep the audio that they were sent, and can delete it on request. */
const KEEPING_PROVIDERS: readonly string[] = ['assemblyai']

/** `document`: the parsed `raw_transcription.json`. Empty for providers that keep nothing. */
export function transcriptIdsOf(provider: string, document: unknown): string[] {
  if (!KEEPING_PROVIDERS.includes(provider)) return []
  const raw = rawSchema.safeParse(document)
  if (!raw.success) return []
  const ids = raw.data.transcriptions.flatMap((answer) => answerSchema.safeParse(answer).data?.id ?? [])
  return [...new Set(ids)].slice(0, MAX_IDS)
}
