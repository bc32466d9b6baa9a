/** Rows of captions as a page shows them: their texts grow and are put right in place, and rows come and go. */

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
}

/** Of a long row, its end is told. */
const MOST_CHARACTERS = 4000

export class CaptionRows {
  readonly #tell: (row: CaptionRow) => void
  #shown = new Map<Element, CaptionRow>()
  #rows = 0

  constructor(tell: (row: CaptionRow) => void) {
    this.#tell = tell
  }

  take(shown: readonly ShownCaption[]): void {
    const before = this.#shown
    this.#shown = new Map()
    for (const { element, name, text: whole } of shown) {
      const text = whole.slice(-MOST_CHARACTERS)
      const known = before.get(element)
      // Lists use their elements again: what another person says is another row.
      const isSame = known !== undefined && known.name === name
      const row = isSame ? { ...known, text } : { key: `row-${++this.#rows}`, name, text, isFinal: false }
      this.#shown.set(element, row)
      if (isSame) before.delete(element)
      if (text !== '' && (!isSame || known.text !== text)) this.#tell(row)
    }
    for (const row of before.values()) if (row.text !== '') this.#tell({ ...row, isFinal: true })
  }
}
