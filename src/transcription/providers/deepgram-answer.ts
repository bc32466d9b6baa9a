/** Reads what Deepgram recognized, in the form that its answers and its live results have in common. */

import { z } from 'zod'
import { spokenOf } from '../tokens.ts'
import type { Recognized } from '../types.ts'
import { lenient } from './provider-error.ts'

/** One odd value must not lose the rest of a transcript. */
const wordSchema = z
  .looseObject({
    word: lenient(z.string()),
    punctuated_word: lenient(z.string()),
    start: lenient(z.number()),
    end: lenient(z.number()),
    confidence: lenient(z.number()),
    language: lenient(z.string()),
  })
  .catch({ word: null, punctuated_word: null, start: null, end: null, confidence: null, language: null })
export const channelSchema = z.looseObject({
  detected_language: lenient(z.string()),
  alternatives: z
    .array(
      z.looseObject({
        transcript: lenient(z.string()),
        languages: lenient(z.array(z.string())),
        words: z.array(wordSchema).nullish(),
      }),
    )
    .nullish(),
})
/** `wanted`: the language that the caller chose; null for none. */
export function spokenIn(
  { detected_language: detected, alternatives }: z.infer<typeof channelSchema>,
  wanted: string | null,
): Omit<Recognized, 'raw'> {
  const [best] = alternatives ?? []
  const tokens = (best?.words ?? []).map(({ word, punctuated_word: shown, start, end, confidence }) => ({
    ...{ word: shown ?? word ?? '', start, end, confidence },
  }))
  const spoken = spokenOf(tokens, best?.transcript || null)
  const known = detected ?? best?.languages?.[0] ?? best?.words?.find((word) => word.language)?.language
  return { ...spoken, language: known ?? (wanted === 'multi' ? null : wanted) }
}
