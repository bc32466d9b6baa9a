/** The worker's `transcription.json` in the shape of the older generation. */
import { z } from 'zod'

const wordSchema = z.object({ word: z.string(), start: z.number(), end: z.number() })
const transcriptionSchema = z.object({
  result: z.object({
    utterances: z.array(
      z.object({ speaker: z.string(), start: z.number(), end: z.number(), words: z.array(wordSchema) }),
    ),
  }),
})

export interface OlderUtterance {
  speaker: string
  /** Seconds from the start of the recording, like the other times; equals `start_time`. */
  offset: number
  start_time: number
  end_time: number
  words: { start: number; end: number; word: string }[]
}

/** Throws if the document has another shape. */
export function olderTranscriptOf(document: unknown): OlderUtterance[] {
  return transcriptionSchema.parse(document).result.utterances.map(({ speaker, start, end, words }) => ({
    speaker,
    offset: start,
    start_time: start,
    end_time: end,
    words: words.map((word) => ({ start: word.start, end: word.end, word: word.word })),
  }))
}
