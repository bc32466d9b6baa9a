/** Converts local date and time in a time zone to UTC. */
import { Temporal } from 'temporal-polyfill'
import { WINDOWS_TO_IANA_MAP } from 'windows-iana'

const LOCAL = /^[12]\d{3}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)?$/
const EARLIEST = Date.UTC(1900, 0)
const LATEST = Date.UTC(2200, 0)

/** Names that Windows still writes and CLDR's table has dropped. */
const DROPPED_NAMES: Readonly<Record<string, string>> = {
  'armenian standard time': 'Asia/Yerevan',
  'kamchatka standard time': 'Asia/Kamchatka',
  'mexico standard time': 'America/Mexico_City',
  'mexico standard time 2': 'America/Chihuahua',
  'mid-atlantic standard time': 'Etc/GMT+2',
}

const WINDOWS_ZONES: ReadonlyMap<string, string> = new Map([
  ...Object.entries(DROPPED_NAMES),
  // Territory 001 is the world: the zone that stands for the name if no country is known.
  ...WINDOWS_TO_IANA_MAP.filter(({ territory }) => territory === '001').map(
    ({ windowsName, iana }): [string, string] => [windowsName.toLowerCase(), iana[0]!],
  ),
])

/**
 * `local` is `2026-11-24` or `2026-11-24T14:00:00.0000000`; `zone` a name of IANA or of Windows. A time that the change
 * to daylight saving time skips is read with the offset before the change; of a time that comes twice, the first.
 * Returns null if `local` is no such time, is out of range, or if the zone is unknown.
 */
export function instantInZone(local: string, zone: string): Date | null {
  if (!LOCAL.test(local)) return null
  try {
    const time = Temporal.PlainDateTime.from(local, { overflow: 'reject' })
    const name = WINDOWS_ZONES.get(zone.toLowerCase()) ?? zone
    return inRange(time.toZonedDateTime(name, { disambiguation: 'compatible' }).epochMilliseconds)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** Whether `instantInZone` knows the name. */
export function isKnownZone(zone: string): boolean {
  return instantInZone('2026-01-01', zone) !== null
}

/** An instant with `Z` or an offset; null if the text is no timestamp or is out of range. */
export function instantOf(text: string): Date | null {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/i.test(text)) return null
  try {
    return inRange(Temporal.Instant.from(text).epochMilliseconds)
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

function inRange(instant: number): Date | null {
  return instant >= EARLIEST && instant < LATEST ? new Date(instant) : null
}
