/** Bodies are JSON in UTF-8, and nothing in them is stored with a changed meaning. */
import { type ApiError, refusals } from './errors.ts'

/** Strict: bytes that are no UTF-8 throw. A byte order mark is left out. */
const UTF8 = new TextDecoder('utf-8', { fatal: true })
/** A double keeps every number that is shorter and has no exponent. */
const LONG_NUMBER = 16
/** A longer one is refused, though it may be one with many zeros. */
const MAX_NUMBER_LENGTH = 100
/** Comparing digits costs a hundred times what reading them does. */
const MAX_LONG_NUMBERS = 1000
/** Of `__proto__`, and of `constructor` with each letter escaped. */
const FORBIDDEN_LENGTHS = { least: 9, most: 66 }
const MAX_STEPS = 100

/**
 * The text of a body. Throws 415 for a body that is compressed or in another character set, and 400 for one that is not
 * UTF-8.
 */
export function bodyText(bytes: Buffer, headers: { 'content-type'?: string; 'content-encoding'?: string }): string {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (encoding !== 'identity' && encoding !== '')
    throw refusals.mediaType(`content-encoding ${shown(encoding)} is not supported; send the body uncompressed`)
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(headers['content-type'] ?? '')?.[1]
  if (charset !== undefined && !/^utf-?8$/i.test(charset))
    throw refusals.mediaType(`charset ${shown(charset)} is not supported; send JSON in UTF-8`)
  try {
    return UTF8.decode(bytes)
  } catch {
    throw refusals.validation('body is not valid UTF-8')
  }
}

/** Looking for the place reads a text about twenty times. */
const MAX_SEARCHED = 100_000

/** Such as `line 1, column 7`: where a text stops being JSON. Null if that is not known. */
export function placeOfJsonError(text: string): string | null {
  const at = jsonErrorAt(text)
  if (at === null) return null
  const lines = text.slice(0, at).split('\n')
  return `line ${lines.length}, column ${lines.at(-1)!.length + 1}`
}

/** Counted from 0. */
function jsonErrorAt(text: string): number | null {
  const problem = problemOfJson(text)
  const named = / at position (\d+)/.exec(problem)?.[1]
  if (named !== undefined) return Number(named)
  if (!problem.startsWith(UNEXPECTED)) return text.length
  if (text.length > MAX_SEARCHED) return null
  // V8 names no place of such a token: it is the end of the shortest beginning of the text that has the problem.
  let [good, bad] = [0, text.length]
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    if (problemOfJson(text.slice(0, middle)).startsWith(UNEXPECTED)) bad = middle
    else good = middle
  }
  return good
}

const UNEXPECTED = 'Unexpected token'

function problemOfJson(text: string): string {
  try {
    JSON.parse(text)
    return ''
  } catch (error) {
    return String((error as Error).message)
  }
}

/**
 * The refusal (400) that names the first field whose value would change when it is stored; null if there is none. `text`
 * is JSON. It is read once, without building anything, so that the cost of a body depends on its length alone.
 */
export function changedValue(text: string): ApiError | null {
  // One number for each object or array that is open: where the name of the current member begins, or the place in the list.
  const steps: number[] = []
  let longNumbers = 0
  for (let at = 0; at < text.length; at++) {
    const last = steps.length - 1
    switch (text[at]) {
      case '{':
        steps.push(NO_NAME)
        break
      case '[':
        steps.push(0)
        break
      case '}':
      case ']':
        steps.pop()
        break
      case ',':
        steps[last] = steps[last]! < 0 ? NO_NAME : steps[last]! + 1
        break
      case '"': {
        const end = endOfString(text, at)
        if (steps[last] === NO_NAME) {
          steps[last] = ~at
          const depth = forbiddenDepth(text, steps, end)
          if (depth !== null)
            return refusals.validation(`${pathOf(text, steps.slice(0, depth))} has a name that is not allowed`)
        }
        at = end
        break
      }
      case '-':
      case '0':
      case '1':
      case '2':
      case '3':
      case '4':
      case '5':
      case '6':
      case '7':
      case '8':
      case '9': {
        const end = endOfNumber(text, at)
        if (isLong(text, at, end)) {
          longNumbers += 1
          if (longNumbers > MAX_LONG_NUMBERS) return refusals.tooManyLongNumbers(MAX_LONG_NUMBERS, LONG_NUMBER)
          if (!isExact(text.slice(at, end)))
            return refusals.validation(
              `${pathOf(text, steps)} is a number that cannot be kept exactly; send it as a string instead`,
            )
        }
        at = end - 1
      }
    }
  }
  return null
}

/** No name begins at the start of a text. */
const NO_NAME = ~0

/** Of its closing quote. */
function endOfString(text: string, start: number): number {
  let end = start + 1
  while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1
  return end
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1
  while (end < text.length && !',]} \n\r\t'.includes(text[end]!)) end += 1
  return end
}

function isLong(text: string, start: number, end: number): boolean {
  if (end - start >= LONG_NUMBER) return true
  for (let at = start; at < end; at++) if (text[at] === 'e' || text[at] === 'E') return true
  return false
}

/**
 * How many steps lead to the member whose name would change the prototype of an object into which it is copied, if the
 * name that ends here makes one.
 */
function forbiddenDepth(text: string, steps: readonly number[], end: number): number | null {
  const start = ~steps.at(-1)! + 1
  const { least, most } = FORBIDDEN_LENGTHS
  if (end - start < least || end - start > most || !'_cp\\'.includes(text[start]!)) return null
  const name = nameOf(text, steps.at(-1)!)
  if (name === '__proto__') return steps.length
  return name === 'prototype' && nameOf(text, steps.at(-2) ?? 0) === 'constructor' ? steps.length - 1 : null
}

/** Of a member, or of a place in a list. */
function nameOf(text: string, step: number): string {
  return step < 0 ? JSON.parse(text.slice(~step, endOfString(text, ~step) + 1)) : String(step)
}

/** Such as `body/extra/order`. */
function pathOf(text: string, steps: readonly number[]): string {
  const names = steps.slice(0, MAX_STEPS).map((step) => shown(nameOf(text, step)))
  return ['body', ...names, ...(steps.length > MAX_STEPS ? ['…'] : [])].join('/')
}

function isExact(source: string): boolean {
  const value = Number(source)
  if (source.length > MAX_NUMBER_LENGTH || !Number.isFinite(value)) return false
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

const shown = (text: string) => (text.length > 60 ? `${text.slice(0, 60)}…` : text)
