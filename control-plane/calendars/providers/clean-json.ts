/** JSON from outside that PostgreSQL can store: no NUL characters, no half surrogates, no bottomless nesting. */

const MAX_DEPTH = 40

/** `json` is undefined for text that is none. The problem is safe to show; what is nested too deeply is null in `json`. */
export function parseCleanJson(text: string): { json: unknown; bodyProblem: string | null } {
  let bodyProblem: string | null = null
  try {
    const json = clean(JSON.parse(text), 0, () => {
      bodyProblem = `is nested more than ${MAX_DEPTH} levels deep`
    })
    return { json, bodyProblem }
  } catch {
    return { json: undefined, bodyProblem: 'is not JSON' }
  }
}

function clean(value: unknown, depth: number, onTooDeep: () => void): unknown {
  if (typeof value === 'string') return cleanText(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= MAX_DEPTH) {
    onTooDeep()
    return null
  }
  if (Array.isArray(value)) return value.map((item) => clean(item, depth + 1, onTooDeep))
  const entries = Object.entries(value).map(
    ([key, item]) => [cleanText(key), clean(item, depth + 1, onTooDeep)] as const,
  )
  return Object.fromEntries(entries)
}

function cleanText(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\uFFFD')
}
