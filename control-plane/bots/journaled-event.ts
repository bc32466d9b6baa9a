/** Events as a bot writes them, on its link and in its journal. */
import { botEventSchema, type NumberedEvent, numberedEventSchema } from '@standin/wire/events.ts'
import { z } from 'zod'

const KNOWN_KINDS = new Set<string>(botEventSchema.options.map(({ shape }) => shape.type.value))

/** An event of a kind that this version does not know, from a newer worker: it is stored like the others and decides nothing. */
const unknownEventSchema = numberedEventSchema.extend({
  event: z.looseObject({ type: z.string().min(1).max(100) }).refine(({ type }) => !KNOWN_KINDS.has(type)),
})

/** Null for an invalid event: content that does not fit its kind is refused as a whole. */
export function readEvent(content: unknown): NumberedEvent | null {
  const known = numberedEventSchema.safeParse(content)
  if (known.success) return known.data
  const unknown = unknownEventSchema.safeParse(content)
  return unknown.success ? (unknown.data as unknown as NumberedEvent) : null
}
