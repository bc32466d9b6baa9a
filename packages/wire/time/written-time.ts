/** Times in the form in which events and files have them. */

/** Seconds, rounded to the millisecond. */
export function milliseconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000
}

/** `at` in UTC milliseconds, written by ISO 8601. */
export function utc(at: number): string {
  return new Date(at).toISOString()
}
