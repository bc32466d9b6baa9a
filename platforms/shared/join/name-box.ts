/**
 * Fills in the bot's name before the join. A page may accept it late, lose it or cut it; the next poll shows the
 * result.
 */

/** Some boxes accept no more, and people read no more. */
const MAX_NAME_LENGTH = 60
const NAME_TRIES = 10

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
    this.#name = cut(botName.trim())
  }

  /** `value` is the box's content in the latest snapshot. True when it is the name. */
  async holdsName(value: string): Promise<boolean> {
    if (value === this.#name) return true
    // A shorter box cuts the name; after some tries its beginning is enough.
    if (this.#tries >= NAME_TRIES && value !== '' && this.#name.startsWith(value)) return true
    if (this.#tries >= 3 * NAME_TRIES) return value !== ''
    this.#tries++
    await this.#page.fill('nameBox', this.#name)
    return false
  }
}

/** Joined emoji and letters with accents stay whole. */
function cut(name: string): string {
  let kept = ''
  for (const { segment } of new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(name)) {
    if ([...kept, ...segment].length > MAX_NAME_LENGTH) break
    kept += segment
  }
  return kept.trimEnd() || [...name].slice(0, MAX_NAME_LENGTH).join('')
}
