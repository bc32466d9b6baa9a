/** Reads foreign JSON without trusting its form. Pure. */

export type Json = Readonly<Record<string, unknown>>

export function objectOf(value: unknown): Json | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null
}

/** Empty if the value is no list. */
export function listOf(value: unknown, most = 1000): unknown[] {
  return Array.isArray(value) ? value.slice(0, most) : []
}

/** Null if the value is no text, or too long for the expected one. */
export function textOf(value: unknown, longest = 500): string | null {
  return typeof value === 'string' && value.length <= longest ? value : null
}

export function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON.
    return null
  }
}
