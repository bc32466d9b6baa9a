/** From a date and a time on the wall in a time zone to an instant. */

// The year has four digits that mean it: `Date.UTC` reads years below 100 as of the last century.
const LOCAL = /^([12]\d{3})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?)?$/
const EARLIEST = Date.UTC(1900, 0)
const LATEST = Date.UTC(2200, 0)

/**
 * `local` is `2026-11-24` or `2026-11-24T14:00:00.0000000`; null where it is no such time or the zone is not known (IANA
 * names and UTC are). A time that a change of the clock leaves out is read as if the clock had not changed yet.
 */
export function instantInZone(local: string, zone: string): Date | null {
  const parts = LOCAL.exec(local)
  if (parts === null) return null
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
    .slice(1, 7)
    .map((part) => Number(part ?? 0))
  const milliseconds = Math.trunc(Number(`0.${parts[7] ?? '0'}`) * 1000)
  const asUtc = Date.UTC(year, month - 1, day, hour, minute, second, milliseconds)
  const isReal =
    new Date(asUtc).getUTCDate() === day && month >= 1 && month <= 12 && hour < 24 && minute < 60 && second < 60
  if (!isReal) return null
  try {
    const first = asUtc - offsetOf(zone, asUtc)
    return inRange(asUtc - offsetOf(zone, first))
  } catch {
    return null
  }
}

/** An instant with `Z` or an offset; null where the text is none, or one that no calendar means. */
export function instantOf(text: string): Date | null {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/i.test(text)) return null
  return inRange(Date.parse(text))
}

function inRange(instant: number): Date | null {
  return instant >= EARLIEST && instant < LATEST ? new Date(instant) : null
}

const formats = new Map<string, Intl.DateTimeFormat>()
/** Zones come from outside; a name that is known has few spellings, but each costs memory. */
const MAX_FORMATS = 500

/** Milliseconds that the wall clock of the zone is ahead of UTC. Throws a RangeError for a zone that is not known. */
function offsetOf(zone: string, instant: number): number {
  if (/^(utc|etc\/utc|gmt|z)$/i.test(zone)) return 0
  let format = formats.get(zone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    if (formats.size >= MAX_FORMATS) formats.clear()
    formats.set(zone, format)
  }
  const part = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]))
  const wall = Date.UTC(part.year!, part.month! - 1, part.day!, part.hour!, part.minute!, part.second!)
  return wall - Math.floor(instant / 1000) * 1000
}
