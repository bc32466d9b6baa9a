/** Shapes of single fields as providers send them. A field of a wrong type counts as absent: it costs no event. */
import { z } from 'zod'

const MAX_SHORT = 1_000
const MAX_LONG = 100_000

/** Null if the text is absent, empty or no text. */
const text = (longest: number) =>
  z
    .unknown()
    .optional()
    .transform((value) => (typeof value === 'string' && value.trim() !== '' ? value.slice(0, longest) : null))

export const shortText = text(MAX_SHORT)
export const longText = text(MAX_LONG)

export const flag = z
  .unknown()
  .optional()
  .transform((value) => value === true)

/** An object of this shape, or null. */
export const part = <T extends z.ZodType>(shape: T) =>
  z
    .unknown()
    .optional()
    .transform((value) => shape.safeParse(value).data ?? null)

const MAX_ITEMS = 1_000

/** Those items of a list that have this shape; none if it is no list. */
export const list = <T extends z.ZodType>(shape: T) =>
  z
    .unknown()
    .optional()
    .transform((value): z.output<T>[] =>
      Array.isArray(value) ? value.slice(0, MAX_ITEMS).flatMap((item) => shape.safeParse(item).data ?? []) : [],
    )

const MAX_RAW = 256 * 1024

/** The event as it was sent; the fields that make one too large for a row are left out, and `standin_left_out` names them. */
export function storable(event: Record<string, unknown>): Record<string, unknown> {
  if (JSON.stringify(event).length <= MAX_RAW) return event
  const sizes = Object.entries(event).map(([key, value]) => ({ key, size: JSON.stringify(value)?.length ?? 0 }))
  const kept: Record<string, unknown> = {}
  const leftOut: string[] = []
  let total = 0
  for (const { key, size } of sizes.sort((one, other) => one.size - other.size)) {
    total += size + key.length
    if (total <= MAX_RAW) kept[key] = event[key]
    else leftOut.push(key.slice(0, 100))
  }
  return { ...kept, standin_left_out: leftOut.slice(0, 50) }
}
