/** Reads times of requests. */

const ISO = /^(\d{4}-\d\d-(\d\d))(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/i

/**
 * An ISO 8601 time with `Z` or an offset, seconds optional; a date alone is its midnight in UTC. Returns null for any other
 * text, and for a day that does not exist: `Date` would read 31 November as 1 December.
 */
export function readInstant(text: string): Date | null {
  const [, date, day] = ISO.exec(text) ?? []
  const time = new Date(text)
  if (date === undefined || Number.isNaN(time.getTime())) return null
  return new Date(`${date}T00:00:00Z`).getUTCDate() === Number(day) ? time : null
}
