/** Rows of captions as a page shows them: their texts grow and are corrected in place, and rows come and go. */

export interface ShownCaption {
  element: Element
  /** As shown; empty where the page does not say. */
  name: string
  text: string
}

export interface CaptionRow {
  /** Of the row, in this document. */
  key: string
  name: string
  text: string
  /** The row is gone. */
  isFinal: boolean
  /** UTC milliseconds of the poll that saw this text. */
  at: number
}

/** Of a long row, only the end is reported. */
const MOST_CHARACTERS = 4000
/** The page may show a caption before the channel that carried it has been read. */
const CHANNEL_GRACE_MS = 3_000

export class CaptionRows {
  readonly #emit: (row: CaptionRow) => void
  #shown = new Map<Element, CaptionRow>()
  #rows = 0
  #isSilent = false
  /** Rows that wait until it is clear whether the channel sends captions. */
  #heldBack: CaptionRow[] | null

  /** @param mayHaveChannel - captions may come by a channel too, which then replaces these rows. */
  constructor(emit: (row: CaptionRow) => void, { mayHaveChannel = false } = {}) {
    this.#emit = emit
    this.#heldBack = mayHaveChannel ? [] : null
  }

  /**
   * The channel carries the same captions: rows of the page are not reported any more, nor those that were held back.
   */
  leaveToChannel(): void {
    this.#isSilent = true
    this.#heldBack = null
  }

  update(shown: readonly ShownCaption[], at: number): void {
    if (this.#isSilent) return
    const before = this.#shown
    this.#shown = new Map()
    for (const { element, name, text: whole } of shown) {
      const text = whole.slice(-MOST_CHARACTERS)
      const known = before.get(element)
      // Lists reuse their elements: the text of another person is another row.
      const isSame = known !== undefined && known.name === name
      const row = isSame ? { ...known, text, at } : { key: `row-${++this.#rows}`, name, text, isFinal: false, at }
      this.#shown.set(element, row)
      if (isSame) before.delete(element)
      if (text !== '' && (!isSame || known.text !== text)) this.#say(row)
    }
    for (const row of before.values()) if (row.text !== '') this.#say({ ...row, isFinal: true, at })
    const [first] = this.#heldBack ?? []
    if (first && at - first.at >= CHANNEL_GRACE_MS) this.#sayHeldBack()
  }

  #say(row: CaptionRow): void {
    if (this.#heldBack) this.#heldBack.push(row)
    else this.#emit(row)
  }

  #sayHeldBack(): void {
    const rows = this.#heldBack ?? []
    this.#heldBack = null
    for (const row of rows) this.#emit(row)
  }
}
