/** Fills in the bot's name at the entrance. A page may take it late, lose it, or cut it; the next look tells. */

/** Some boxes take no more, and people read no more. */
const MAX_NAME_LENGTH = 60
const NAME_TRIES = 10

/**
 * The part of the page that the name box needs; `MeetingPage` has it where the platform names the element `nameBox`.
 */
interface FillablePage {
  fill(name: 'nameBox', text: string): Promise<unknown>
}

export class NameBox {
  readonly #page: FillablePage
  readonly #name: string
  #tries = 0

  constructor(page: FillablePage, botName: string) {
    this.#page = page
    this.#name = [...botName.trim()].slice(0, MAX_NAME_LENGTH).join('')
  }

  /** `value` is what the latest look saw in the box. True when it holds the name. */
  async holdsName(value: string): Promise<boolean> {
    if (value === this.#name) return true
    // A shorter box cuts the name; after some tries its beginning will do.
    if (this.#tries >= NAME_TRIES && value !== '' && this.#name.startsWith(value)) return true
    if (this.#tries >= 3 * NAME_TRIES) return value !== ''
    this.#tries++
    await this.#page.fill('nameBox', this.#name)
    return false
  }
}
