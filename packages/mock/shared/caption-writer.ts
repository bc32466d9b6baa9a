/** Writes the captions of people who speak, a word at a time. */

/** The current text of one stretch of speech. The same row grows with each version. */
export interface CaptionRow {
  personId: string
  name: string
  row: number
  version: number
  text: string
  /** The last version of its row. */
  isFinal: boolean
}

/** The text of all captions, repeated without end. A turn begins somewhere in it. */
export const WORDS =
  'so the next thing we should look at is how the numbers changed last month and what that means for the plan'.split(
    ' ',
  )
const WORD_MS = 350

export class CaptionWriter {
  private readonly sink: (row: CaptionRow) => void
  private readonly speaking = new Map<string, { timer: NodeJS.Timeout; last: CaptionRow | null }>()
  private row = 0

  constructor(sink: (row: CaptionRow) => void) {
    this.sink = sink
  }

  start(person: { id: string; name: string }): void {
    this.stop(person.id)
    const row = ++this.row
    let version = 0
    const spoken: string[] = []
    const timer = setInterval(() => {
      spoken.push(WORDS[(row * 5 + spoken.length) % WORDS.length] ?? '')
      const { id: personId, name } = person
      entry.last = { personId, name, row, version: ++version, text: spoken.join(' '), isFinal: false }
      this.sink(entry.last)
    }, WORD_MS)
    const entry: { timer: NodeJS.Timeout; last: CaptionRow | null } = { timer, last: null }
    timer.unref()
    this.speaking.set(person.id, entry)
  }

  stop(id: string): void {
    const entry = this.speaking.get(id)
    if (!entry) return
    clearInterval(entry.timer)
    this.speaking.delete(id)
    if (entry.last) this.sink({ ...entry.last, version: entry.last.version + 1, isFinal: true })
  }

  stopAll(): void {
    for (const id of [...this.speaking.keys()]) this.stop(id)
  }
}
