/** Bodies are JSON in UTF-8, and nothing in them is stored with a changed meaning. */
import { type ApiError, refusals } from './errors.ts'

/** Strict: bytes that are no UTF-8 throw. A byte order mark is left out. */
const UTF8 = new TextDecoder('utf-8', { fatal: true })
/** JSON that may hold a number which a double cannot: 16 digits in a row, or an exponent of two digits. */
const MAY_LOSE_NUMBERS = /\d[\d.]{15}|\d[eE][+-]?\d{2}/
const MAY_HOLD_PROTOTYPE = /__proto__|prototype|\\u/
const MAX_DEPTH = 1000

/**
 * The text of a body. Throws 415 for a body that is compressed or in another character set, and 400 for one that is not
 * UTF-8.
 */
export function bodyText(bytes: Buffer, headers: { 'content-type'?: string; 'content-encoding'?: string }): string {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (encoding !== 'identity' && encoding !== '')
    throw refusals.mediaType(`content-encoding ${shown(encoding)} is not supported; send the body uncompressed`)
  const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i.exec(headers['content-type'] ?? '')?.[1]
  if (charset !== undefined && !/^utf-?8$/i.test(charset))
    throw refusals.mediaType(`charset ${shown(charset)} is not supported; send JSON in UTF-8`)
  try {
    return UTF8.decode(bytes)
  } catch {
    throw refusals.validation('body is not valid UTF-8')
  }
}

/**
 * The refusal (400) that names the first field whose value would change when it is stored; null if there is none, or if
 * the text is no JSON.
 */
export function changedValue(text: string): ApiError | null {
  try {
    return firstChanged(text)
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

function firstChanged(text: string): ApiError | null {
  if (MAY_HOLD_PROTOTYPE.test(text)) {
    const path = pathOf(JSON.parse(text), isPrototypeName)
    if (path !== null) return refusals.validation(`${path} has a name that is not allowed`)
  }
  if (!MAY_LOSE_NUMBERS.test(text)) return null
  const lost = new Set<object>()
  const marked: unknown = JSON.parse(text, (_, value, context?: { source?: string }) => {
    if (typeof value !== 'number' || context?.source === undefined || isExact(context.source, value)) return value
    const mark = { source: context.source }
    lost.add(mark)
    return mark
  })
  const path = pathOf(marked, (value) => lost.has(value as object))
  if (path === null) return null
  return refusals.validation(`${path} is a number that cannot be kept exactly; send it as a string instead`)
}

/** Names that change the prototype of an object into which they are copied. */
function isPrototypeName(value: unknown, name: string): boolean {
  return (
    name === '__proto__' ||
    (name === 'constructor' && typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype'))
  )
}

function isExact(source: string, value: number): boolean {
  if (!Number.isFinite(value)) return false
  return decimalOf(source) === decimalOf(String(value))
}

/** One spelling for each decimal number: its digits without zeros at the ends, and the power of ten behind them. */
function decimalOf(number: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? []
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const kept = digits.replace(/0+$/, '')
  if (kept === '') return '0'
  return `${sign}${kept}e${BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - kept.length)}`
}

/** The path of the first value that `is` accepts, such as `body/extra/order`; null if there is none. */
function pathOf(root: unknown, is: (value: unknown, name: string) => boolean): string | null {
  // This stack is on the heap: a body may be nested deeper than the call stack allows.
  const open: { value: unknown; path: string; depth: number }[] = [{ value: root, path: 'body', depth: 0 }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next.value !== 'object' || next.value === null || next.depth > MAX_DEPTH) continue
    const inner = Object.entries(next.value).map(([name, value]) => ({
      name,
      value,
      path: `${next.path}/${shown(name)}`,
    }))
    const found = inner.find(({ name, value }) => is(value, name))
    if (found) return found.path
    for (const { value, path } of inner.reverse()) open.push({ value, path, depth: next.depth + 1 })
  }
  return null
}

const shown = (text: string) => (text.length > 60 ? `${text.slice(0, 60)}…` : text)
