/** JSON from outside that PostgreSQL can store: no NUL characters, no half surrogates, no bottomless nesting. */

const MAX_DEPTH = 40

/** Rejects text that is no JSON, and JSON that is nested too deeply, with an error whose sentence is safe to show. */
export function parseCleanJson(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new Error('is not JSON')
  }
  return clean(value, 0)
}

function clean(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return cleanText(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= MAX_DEPTH) throw new Error(`is nested more than ${MAX_DEPTH} levels deep`)
  if (Array.isArray(value)) return value.map((item) => clean(item, depth + 1))
  const entries = Object.entries(value).map(([key, item]) => [cleanText(key), clean(item, depth + 1)] as const)
  return Object.fromEntries(entries)
}

function cleanText(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\uFFFD')
}
