/** Reads the bytes of the page's WebRTC transports from time to time, and reports what was added. */
import { within } from '@standin/wire/time/deadline.ts'
import type { PageTraffic } from '../page/webrtc-traffic.ts'
import type { MeetingPage } from '../page-access/meeting-page.ts'

/** Lost at most when the page crashes. Milliseconds. */
const READ_EVERY_MS = 5_000
/** The bot leaves all the same. Milliseconds. */
const LAST_READ_MS = 1_000

export class WebRtcTraffic {
  readonly #page: Pick<MeetingPage, 'ask' | 'clock'>
  readonly #note: (received: number, sent: number) => void
  #last: PageTraffic = { received: 0, sent: 0 }
  #document = 0
  #readAt = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | null = null

  constructor(page: Pick<MeetingPage, 'ask' | 'clock'>, note: (received: number, sent: number) => void) {
    this.#page = page
    this.#note = note
  }

  /** To be called often; never waits for the page. */
  check(): void {
    if (this.#page.clock.now() - this.#readAt >= READ_EVERY_MS) void this.#read()
  }

  /** A new document counts from zero. */
  onNewDocument(): void {
    this.#last = { received: 0, sent: 0 }
    this.#document += 1
  }

  /** Before the page is left. Never rejects, and does not wait for a page that hangs. */
  async last(): Promise<void> {
    const { clock } = this.#page
    const read = (this.#reading ?? Promise.resolve()).then(() => this.#read())
    await within(clock, LAST_READ_MS, read, () => new Error('The page does not answer')).catch(() => {})
  }

  #read(): Promise<void> {
    this.#readAt = this.#page.clock.now()
    this.#reading ??= this.#readOnce().finally(() => {
      this.#reading = null
    })
    return this.#reading
  }

  async #readOnce(): Promise<void> {
    const document = this.#document
    // A page that does not answer is noticed by the watch of the meeting.
    const now = await this.#page.ask('traffic').catch(() => null)
    if (now === null || document !== this.#document) return
    const { received, sent } = this.#last
    this.#note(Math.max(0, now.received - received), Math.max(0, now.sent - sent))
    this.#last = now
  }
}
