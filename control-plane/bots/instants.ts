/** Times that a bot reports. Times from a clock that is far off are replaced: they would not fit into a column. */

const EARLIEST = Date.UTC(2000, 0, 1)
const LATEST = Date.UTC(2200, 0, 1)

/** The instant, or `otherwise` where it cannot be one of a meeting. */
export function instant(text: string | number, otherwise: Date): Date {
  const at = new Date(text)
  return at.getTime() >= EARLIEST && at.getTime() < LATEST ? at : otherwise
}

export function optionalInstant(text: string | null): Date | null {
  if (text === null) return null
  const at = instant(text, new Date(Number.NaN))
  return Number.isNaN(at.getTime()) ? null : at
}
