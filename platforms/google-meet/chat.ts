/** Sends chat and finds out whether there is any. */
import { BotError, ChatUnavailable } from '../../src/errors.ts'
import type { MeetPage } from './meet-page.ts'
import type { ChatState } from './page/types.ts'

const POLL_MS = 100

export class MeetChat {
  readonly #page: MeetPage
  readonly #tellAvailability: (isAvailable: boolean) => void
  #queue: Promise<unknown> = Promise.resolve()

  constructor(page: MeetPage, tellAvailability: (isAvailable: boolean) => void) {
    this.#page = page
    this.#tellAvailability = tellAvailability
  }

  /** Opens the panel once, so that messages have nodes from then on, and closes it. True when there is a text box. */
  async explore(): Promise<boolean> {
    return this.#alone(async () => {
      const state = await this.#openPanel()
      await this.#closePanel()
      return state !== null
    })
  }

  /** Resolves when the page shows the message as sent. */
  async send(text: string): Promise<void> {
    await this.#alone(async () => {
      const state = await this.#openPanel()
      try {
        if (!state) throw new ChatUnavailable()
        await this.#write(text, new Set(state.own.map(({ id }) => id)))
      } finally {
        await this.#closePanel()
      }
    })
  }

  async #write(text: string, before: ReadonlySet<string>): Promise<void> {
    const { clock, waits } = this.#page
    const isShown = (state: ChatState) => state.own.some((own) => !before.has(own.id) && isSent(own.text, text))
    await this.#fill(text)
    await this.#page.press('send')
    const deadline = clock.now() + waits.chatSentMs
    let triedKey = false
    for (;;) {
      const state = await this.#state()
      if (state && isShown(state)) return
      if (state && !state.box?.isEnabled) {
        this.#tellAvailability(false)
        throw new ChatUnavailable()
      }
      // The button did nothing: the text still stands in the box.
      const stands = state?.box?.value !== ''
      if (stands && !triedKey && clock.now() > deadline - waits.chatSentMs / 2) {
        triedKey = true
        await this.#page.inTurn(async () => {
          const box = await this.#page.element('chatBox')
          await box?.press('Enter', { timeout: waits.clickMs })
        })
      }
      if (clock.now() > deadline)
        throw new BotError('INTERNAL_ERROR', 'The page did not show the chat message as sent.', { step: 'chat' })
      await clock.sleep(POLL_MS)
    }
  }

  async #fill(text: string): Promise<void> {
    const { waits } = this.#page
    await this.#page.inTurn(async () => {
      const box = await this.#page.element('chatBox')
      if (!box) throw new ChatUnavailable()
      try {
        await box.fill(text, { timeout: waits.clickMs })
      } finally {
        await box.dispose().catch(() => {})
      }
    })
  }

  /** Null where no text box appears that takes text: the host switched chat off, or a policy did. */
  async #openPanel(): Promise<ChatState | null> {
    const { clock, waits } = this.#page
    const deadline = clock.now() + waits.chatOpenMs
    let state = await this.#state()
    let pressedAt: number | null = null
    while (!state?.box?.isEnabled && clock.now() < deadline) {
      // A click during the page's hydration is lost; one on an open panel would close it.
      const isDue = pressedAt === null || clock.now() - pressedAt > waits.chatOpenMs / 2
      if (isDue && !state?.isPanelOpen) {
        await this.#page.wakePointer()
        await this.#page.press('chat')
        pressedAt = clock.now()
      }
      await clock.sleep(POLL_MS)
      state = await this.#state()
    }
    const isUsable = state?.box?.isEnabled === true
    this.#tellAvailability(isUsable)
    return isUsable ? state : null
  }

  async #closePanel(): Promise<void> {
    if (!(await this.#state())?.isPanelOpen) return
    await this.#page.wakePointer()
    await this.#page.press('chat')
  }

  #state(): Promise<ChatState | null> {
    return this.#page.ask('chat')
  }

  #alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#queue.then(work)
    this.#queue = result.catch(() => {})
    return result
  }
}

/** The page trims and cuts; white space may become other nodes. */
function isSent(shown: string, text: string): boolean {
  const squeezed = (written: string) => written.replace(/\s+/g, '')
  return squeezed(shown) === squeezed(text)
}
