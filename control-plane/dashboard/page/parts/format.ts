/** Times and numbers in the format of the reader's locale. */

const DATE_TIME = { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit', timeZoneName: 'short' } as const
const EXACT = new Intl.DateTimeFormat(undefined, { ...DATE_TIME, year: 'numeric', second: '2-digit' })
const OF_THIS_YEAR = new Intl.DateTimeFormat(undefined, DATE_TIME)
const OF_OTHER_YEARS = new Intl.DateTimeFormat(undefined, { ...DATE_TIME, year: 'numeric' })
const NUMBER = new Intl.NumberFormat(undefined, { maximumFractionDigits: 4 })

/** Shows the zone; the year only if it is another one. */
export function dateTime(iso: string): string {
  const at = new Date(iso)
  return (at.getFullYear() === new Date().getFullYear() ? OF_THIS_YEAR : OF_OTHER_YEARS).format(at)
}
/** Of a meeting, in a sentence. */
export const nameAndTime = ({ bot_name, created_at }: { bot_name: string; created_at: string }): string =>
  `“${bot_name}” (${dateTime(created_at)})`
export const exactTime = (iso: string): string => EXACT.format(new Date(iso))
export const utcTime = (iso: string): string => `${new Date(iso).toISOString().slice(0, 19).replace('T', ' ')} UTC`
const SIGNED = new Intl.NumberFormat(undefined, { maximumFractionDigits: 4, signDisplay: 'exceptZero' })

export const signed = (value: number): string => SIGNED.format(value)
export const number = (value: number): string => NUMBER.format(value)
