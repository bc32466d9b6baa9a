/** Times and numbers as people of the reader's country write them. */

export function clock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const two = (value: number) => String(value).padStart(2, '0')
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60]
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`
}

const DATE_TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const NUMBER = new Intl.NumberFormat(undefined, { maximumFractionDigits: 4 })

export const dateTime = (iso: string | null): string => (iso === null ? '–' : DATE_TIME.format(new Date(iso)))
export const exactTime = (iso: string): string => EXACT.format(new Date(iso))
export const number = (value: number): string => NUMBER.format(value)
