/** Times and numbers in the format of the reader's locale. */

const DATE_TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const NUMBER = new Intl.NumberFormat(undefined, { maximumFractionDigits: 4 })

export const dateTime = (iso: string | null): string => (iso === null ? '–' : DATE_TIME.format(new Date(iso)))
export const exactTime = (iso: string): string => EXACT.format(new Date(iso))
export const number = (value: number): string => NUMBER.format(value)
