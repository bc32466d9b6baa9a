/** Writes the captions of people who speak, a word at a time. */

export type CaptionSink = (row: { device: string; name: string; row: number; version: number; text: string }) => void

const WORDS =
  'so the next thing we should look at is how the numbers changed last month and what that means for the plan'.split(
    ' ',
  )
const WORD_MS = 350

export class CaptionWriter {
  private readonly sink: CaptionSink
  private readonly speaking = new Map<string, NodeJS.Timeout>()
  private row = 0

  constructor(sink: CaptionSink) {
    this.sink = sink
  }

  start(person: { id: string; name: string; device: string }): void {
    this.stop(person.id)
    const row = ++this.row
    let version = 0
    const spoken: string[] = []
    const timer = setInterval(() => {
      spoken.push(WORDS[(row * 5 + spoken.length) % WORDS.length] ?? '')
      this.sink({ device: person.device, name: person.name, row, version: ++version, text: spoken.join(' ') })
    }, WORD_MS)
    timer.unref()
    this.speaking.set(person.id, timer)
  }

  stop(id: string): void {
    clearInterval(this.speaking.get(id))
    this.speaking.delete(id)
  }

  stopAll(): void {
    for (const id of [...this.speaking.keys()]) this.stop(id)
  }
}
