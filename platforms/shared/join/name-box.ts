/**
 * Fills in the bot's name before the join. A page may accept it late, lose it or cut it; the next poll shows the
 * result.
 */

/** Some boxes accept no more, and people read no more. */
const MAX_NAME_LENGTH = 60
const NAME_TRIES = 10
/** The same for a box that keeps all letters and digits, in any case and with more around them. */
const CHANGED_TRIES = 3

/**
 * The part of the page that the name box needs; `MeetingPage` has it where the platform names the element `nameBox`.
 */
export interface FillablePage {
  fill(name: 'nameBox', text: string): Promise<unknown>
}

export class NameBox {
  readonly #page: FillablePage
  readonly #name: string
  #tries = 0

  constructor(page: FillablePage, botName: string) {
    this.#page = page
    this.#name = nameWithin(botName, MAX_NAME_LENGTH, (text) => [...text].length)
  }

  /** `value` is the box's content in the latest snapshot. True when it is the name. */
  async holdsName(value: string): Promise<boolean> {
    if (value === this.#name) return true
    // Some boxes join blanks, change case or drop letters, and a shorter one cuts the name; after some tries that is enough.
    const kept = essence(value)
    const wanted = essence(this.#name)
    const isWhole = wanted !== '' && kept.includes(wanted)
    if (this.#tries >= (isWhole ? CHANGED_TRIES : NAME_TRIES) && kept !== '' && (isWhole || isPartOf(kept, wanted)))
      return true
    if (this.#tries >= 3 * NAME_TRIES) return value !== ''
    this.#tries++
    await this.#page.fill('nameBox', this.#name)
    return false
  }
}

/** What every box keeps of a name, without accents and in one case. */
function essence(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toUpperCase()
}

/** Whether `text` is `whole` without some of its letters. */
function isPartOf(text: string, whole: string): boolean {
  let at = 0
  const letters = [...text]
  for (const letter of whole) if (letter === letters[at]) at++
  return at === letters.length
}

/** Joined emoji and letters with accents stay whole, as far as the first of them fits. `most` is in the unit of `sizeOf`. */
export function nameWithin(name: string, most: number, sizeOf: (text: string) => number): string {
  const cut = (parts: Iterable<string>) => {
    let kept = ''
    for (const part of parts) {
      if (sizeOf(kept + part) > most) break
      kept += part
    }
    return kept.trimEnd()
  }
  const whole = name.trim()
  const letters = [...new Intl.Segmenter('en').segment(whole)].map(({ segment }) => segment)
  return cut(letters) || cut(whole)
}
