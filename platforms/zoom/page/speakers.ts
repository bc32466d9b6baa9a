/**
 * Decides who speaks, as far as marks of the page show it. Pure. Zoom's mark stays after speech and even when all are
 * muted (docs/platform-notes/zoom.md#tiles-and-active-speaker), so it counts only together with sound, with an open
 * microphone, and while it is the newest.
 */

export interface MarkedPerson {
  id: string
  isMuted: boolean
}

/** A person whose microphone is open and whose mark is shown. */
export interface Mark {
  id: string
  /** When the mark came; UTC milliseconds. */
  since: number
}

/** Marks that came within this time are equally new. Milliseconds. */
const TOGETHER_MS = 700

/** Keeps when each mark came. */
export class MarkJudge {
  readonly #since = new Map<string, number>()

  /** One poll. Returns the people with open microphones who were marked in the poll before too. */
  update(marked: readonly MarkedPerson[], at: number): Mark[] {
    const ids = new Set(marked.map(({ id }) => id))
    for (const id of [...this.#since.keys()]) if (!ids.has(id)) this.#since.delete(id)
    // One poll alone may see a page that is rendering itself: marks count from the second poll on.
    const standing = marked.filter(({ id }) => this.#since.has(id))
    for (const { id } of marked) if (!this.#since.has(id)) this.#since.set(id, at)
    return standing.filter(({ isMuted }) => !isMuted).map(({ id }) => ({ id, since: this.#since.get(id) ?? at }))
  }
}

/** Returns the marks of present speakers: older ones linger after the last speech. */
export function newestMarks(marks: readonly Mark[]): Mark[] {
  const newest = Math.max(...marks.map(({ since }) => since))
  return marks.filter(({ since }) => newest - since <= TOGETHER_MS)
}
