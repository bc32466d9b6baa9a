/** Seconds. Some servers write the unit, and a proxy may repeat the header. */
const SECONDS = /^(\d*\.?\d+)\s*(?:s|sec|seconds?)?\s*(?:[,;]|$)/i

/** Milliseconds from `now` that the header `retry-after` names, in seconds or as an HTTP date; null if it names none. */
export function retryAfterMs(header: string | null | undefined, now = Date.now()): number | null {
  const text = header?.trim() ?? ''
  const seconds = SECONDS.exec(text)?.[1]
  const milliseconds = seconds === undefined ? Date.parse(text) - now : Number(seconds) * 1000
  return Number.isFinite(milliseconds) ? Math.max(0, milliseconds) : null
}
