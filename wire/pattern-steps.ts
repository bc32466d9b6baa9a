/**
 * How long a regular expression can search at most. Wording comes from files that others write, and an expression such
 * as `(a+)+$` would stop a page or a worker for hours. The count is that of a backtracking engine without any
 * cleverness: each way to match a part may be tried with each way to match the parts after it.
 */

/** No longer text is compared with wording. */
export const MAX_COMPARED_LENGTH = 2000

interface Cost {
  /** In how many ways it can match from one place. */
  ways: number
  steps: number
}

/** The message is for the author of the expression. */
class Refused extends Error {}

const ONE: Cost = { ways: 1, steps: 1 }
/** Lookbehind, names and references to groups are left out: no wording needs them. */
const GROUP = /\((?:\?(?:[:=!]))?(?!\?)/y
const CLASS = /\[\^?(?:\\.|[^\]\\])+\]/y
const ESCAPE = /\\(?:[bBdDsSwW]|u[0-9a-f]{4}|[^\p{L}\p{N}])/uy
const QUANTIFIER = /(?:([*+?])|\{(\d{1,4})(?:(,)(\d{1,4})?)?\})\??/y

/** Steps of the expression on a text of the longest length, or why it is refused. */
export function stepsOf(source: string): number | string {
  try {
    new RegExp(source, 'iu')
    const parser = new Parser(source)
    const { steps } = parser.alternatives()
    const isAnchored = source.startsWith('^') && parser.outerAlternatives === 1
    return isAnchored ? steps : steps * MAX_COMPARED_LENGTH
  } catch (error) {
    return error instanceof Refused ? error.message : 'is no regular expression'
  }
}

class Parser {
  readonly #source: string
  #at = 0
  outerAlternatives = 0

  constructor(source: string) {
    this.#source = source
  }

  alternatives(depth = 0): Cost {
    const total: Cost = { ways: 0, steps: 1 }
    for (;;) {
      const { ways, steps } = this.#sequence(depth)
      total.ways += ways
      total.steps += steps
      if (depth === 0) this.outerAlternatives++
      if (this.#source[this.#at] !== '|') return total
      this.#at++
    }
  }

  #sequence(depth: number): Cost {
    const total: Cost = { ways: 1, steps: 0 }
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at]!)) {
      const { ways, steps } = this.#repeated(depth)
      total.steps += total.ways * steps
      total.ways *= ways
    }
    return total
  }

  #repeated(depth: number): Cost {
    const group = this.#read(GROUP)
    const part = group === undefined ? this.#character() : this.#group(group, depth)
    const quantifier = this.#read(QUANTIFIER)
    if (quantifier === undefined) return part
    const [, sign, least, comma, most] = quantifier
    const min = sign === '+' ? 1 : Number(least ?? 0)
    const isOpen = sign === '*' || sign === '+' || (comma !== undefined && most === undefined)
    if (isOpen && group !== undefined) throw new Refused('repeats a group without a limit')
    const max = isOpen ? MAX_COMPARED_LENGTH : sign === '?' ? 1 : Number(most ?? least)
    let [ways, steps, arrivals] = [0, 1, 1]
    for (let times = 0; times <= max; times++) {
      if (times >= min) ways += arrivals
      steps += arrivals * part.steps
      arrivals *= part.ways
    }
    return { ways, steps }
  }

  #group([opening]: RegExpExecArray, depth: number): Cost {
    const inner = this.alternatives(depth + 1)
    this.#at++
    return opening === '(?=' || opening === '(?!' ? { ways: 1, steps: inner.steps } : inner
  }

  #character(): Cost {
    const letter = this.#source[this.#at]
    if (letter === '(') throw new Refused('has a group of a kind that wording does not need')
    if (letter === '[' ? !this.#read(CLASS) : letter === '\\' && !this.#read(ESCAPE))
      throw new Refused('has a character class or an escape that wording does not need')
    if (letter !== '[' && letter !== '\\') this.#at++
    return ONE
  }

  #read(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#source) ?? undefined
    if (found) this.#at = pattern.lastIndex
    return found
  }
}
