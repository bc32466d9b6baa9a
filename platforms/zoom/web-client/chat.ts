/**
 * The steps of Zoom's chat. Its panel stays open while no other panel needs the place: a closed one has no messages.
 */
import { type ChatSteps, usualChatSteps } from '../../shared/in-call/chat-sender.ts'
import type { ZoomPage } from './page.ts'
import { writeLines } from './typing.ts'

/** Longest time for which a message in work keeps the panel. Milliseconds. */
const MAX_USE_MS = 12_000

export class ChatPanel {
  readonly #page: ZoomPage
  #usedSince: number | null = null
  #opening: Promise<void> | null = null

  constructor(page: ZoomPage) {
    this.#page = page
  }

  /** A message is being written, so no other panel may replace the chat. */
  get isInUse(): boolean {
    return this.#usedSince !== null && this.#page.clock.now() - this.#usedSince < MAX_USE_MS
  }

  /** Repeatable. Its button closes an open panel, so an old snapshot must not decide whether to press it. */
  open(): Promise<void> {
    this.#opening ??= this.#open().finally(() => {
      this.#opening = null
    })
    return this.#opening
  }

  async #open(): Promise<void> {
    if ((await this.#page.ask('chat'))?.isPanelOpen !== false) return
    await this.#page.wakePointer()
    if (await this.#page.press('chat')) return
    // In a narrow window the button is in the "more" menu.
    if (await this.#page.press('more')) await this.#page.press('moreChat')
  }

  steps(): ChatSteps {
    const page = this.#page
    const use = () => {
      if (!this.isInUse) this.#usedSince = page.clock.now()
    }
    return {
      ...usualChatSteps(page),
      async state() {
        use()
        return page.ask('chat')
      },
      open: () => this.open(),
      close: async () => {
        this.#usedSince = null
      },
      fill: (text) => writeLines(page, 'chatBox', text),
      async send(again) {
        await (again ? page.press('send') : page.pressKey('chatBox', 'Enter'))
      },
    }
  }
}
