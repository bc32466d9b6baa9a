/** Times of messages from the shown time, which has minutes only. */
const MINUTE_MS = 60_000

/** The shown time is local and today's, or yesterday's just after midnight. `half` is `a` or `p`, if there is one. */
export function instantOf(hours: string, minutes: string, half: string | undefined, now: number): number {
  const date = new Date(now)
  let hour = Number(hours)
  if (half) hour = (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
  date.setHours(hour, Number(minutes), 0, 0)
  return date.getTime() > now ? date.getTime() - 86_400_000 : date.getTime()
}

/** Time of a message that appears just now: not later than the end of the shown minute. */
export function seenAt(shownAt: number | null, now: number): number {
  return shownAt === null ? now : Math.min(now, shownAt + MINUTE_MS - 1)
}
