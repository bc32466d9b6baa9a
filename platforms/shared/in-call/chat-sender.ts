/**
 * Sends chat messages and finds out whether the meeting has a chat: one message at a time, with the panel open only
 * while it is needed.
 */
import { inTurn } from '@standin/wire/time/in-turn.ts'
import { BotError, ChatUnavailable } from '../../../packages/core/errors.ts'
import type { ChatState } from '../page/types.ts'
import type { MeetingPage } from '../page-access/meeting-page.ts'

const POLL_MS = 100
/**
 * Milliseconds between the attempts. A page that was busy for a moment did not open the panel; one that shows no chat
 * for minutes has none.
 */
const EXPLORE_AGAIN_MS: readonly number[] = [5000, 20_000, 60_000]

const ELSEWHERE = 'The chat of this meeting is in another product (Google Chat), where the bot has no account'

/** Steps of a platform's chat panel; `usualChatSteps` serves where the panel is usual. */
export interface ChatSteps {
  /** Null while the page does not answer. */
  state(): Promise<ChatState | null>
  /** Presses the button that opens the panel. */
  open(): Promise<void>
  close(): Promise<void>
  /** Puts the text into the box; false if there is no box. */
  fill(text: string): Promise<boolean>
  /** Sends the text in the box; the second attempt, with `again`, uses another way than the first. */
  send(again: boolean): Promise<void>
}

/** Sends chat by the elements `chat` (opens and closes), `chatBox` and `send`; the second attempt is the Enter key. */
export function usualChatSteps(page: MeetingPage): ChatSteps {
  const toggle = async () => {
    await page.wakePointer()
    await page.press('chat')
  }
  return {
    state: () => page.ask('chat'),
    open: toggle,
    close: toggle,
    fill: (text) => page.fill('chatBox', text),
    async send(again) {
      await (again ? page.pressKey('chatBox', 'Enter') : page.press('send'))
    },
  }
}

export class ChatSender {
  readonly #page: MeetingPage
  readonly #steps: ChatSteps
  readonly #onAvailability: (isAvailable: boolean) => void
  readonly #alone = inTurn(1)
  /** Of the last look into the panel. */
  #isElsewhere = false

  constructor(page: MeetingPage, steps: ChatSteps, onAvailability: (isAvailable: boolean) => void) {
    this.#page = page
    this.#steps = steps
    this.#onAvailability = onAvailability
  }

  /**
   * Opens the panel once, so that messages have nodes from then on, and closes it. Tries again after a while if no
   * text box appeared, because otherwise all messages of the meeting would be lost. Rejects when `signal` ends it, or
   * when the page failed the last time.
   */
  async explore(signal: AbortSignal): Promise<void> {
    const lookInside = () => this.#alone(() => this.#lookInside())
    for (const pause of EXPLORE_AGAIN_MS) {
      if (await lookInside().catch(() => false)) return
      await this.#page.clock.sleep(pause, signal)
    }
    await lookInside()
  }

  /** True if there is a text box, or if the page says that chat is off or elsewhere. */
  async #lookInside(): Promise<boolean> {
    const state = await this.#openPanel()
    const isOff = state === null && (await this.#steps.state())?.isOff === true
    await this.#closePanel()
    if (this.#isElsewhere) this.#page.logger.warn(ELSEWHERE)
    return state !== null || isOff || this.#isElsewhere
  }

  /** Resolves when the page shows the message as sent. Rejects with ChatUnavailable, which says why there is no chat. */
  async send(text: string): Promise<void> {
    await this.#alone(async () => {
      const state = await this.#openPanel()
      try {
        if (!state) throw new ChatUnavailable(this.#isElsewhere ? ELSEWHERE : undefined)
        await this.#write(text, new Set(state.own.map(({ id }) => id)))
      } finally {
        await this.#closePanel()
      }
    })
  }

  async #write(text: string, before: ReadonlySet<string>): Promise<void> {
    const { clock, waits } = this.#page
    const isShown = (state: ChatState) => state.own.some((own) => !before.has(own.id) && isSent(own.text, text))
    if (!(await this.#steps.fill(text))) throw new ChatUnavailable()
    await this.#steps.send(false)
    const deadline = clock.now() + waits.chatSentMs
    let triedAgain = false
    for (;;) {
      const state = await this.#steps.state()
      if (state && isShown(state)) return
      if (state && !state.box?.isEnabled) {
        this.#onAvailability(false)
        throw new ChatUnavailable()
      }
      // The first way had no effect: the text is still in the box.
      const stands = state?.box?.value !== ''
      if (stands && !triedAgain && clock.now() > deadline - waits.chatSentMs / 2) {
        triedAgain = true
        await this.#steps.send(true)
      }
      if (clock.now() > deadline)
        throw new BotError('INTERNAL_ERROR', 'The page did not show the chat message as sent.', { step: 'chat' })
      await clock.sleep(POLL_MS)
    }
  }

  /** Null if no text box appears that accepts text: the host or a policy switched chat off. */
  async #openPanel(): Promise<ChatState | null> {
    const { clock, waits } = this.#page
    const deadline = clock.now() + waits.chatOpenMs
    let state = await this.#steps.state()
    let openedAt: number | null = null
    while (!state?.box?.isEnabled && !state?.isOff && !state?.isElsewhere && clock.now() < deadline) {
      // A click during the page's hydration is lost; one on an open panel would close it.
      const isDue = openedAt === null || clock.now() - openedAt > waits.chatOpenMs / 2
      if (isDue && !state?.isPanelOpen) {
        await this.#steps.open()
        openedAt = clock.now()
      }
      await clock.sleep(POLL_MS)
      state = await this.#steps.state()
    }
    const isUsable = state?.box?.isEnabled === true
    this.#isElsewhere = !isUsable && state?.isElsewhere === true
    this.#onAvailability(isUsable)
    return isUsable ? state : null
  }

  async #closePanel(): Promise<void> {
    if ((await this.#steps.state())?.isPanelOpen) await this.#steps.close()
  }
}

/** The page trims and cuts the text; white space may become other nodes. */
function isSent(shown: string, text: string): boolean {
  const squeezed = (written: string) => written.replace(/\s+/g, '')
  return squeezed(shown) === squeezed(text)
}
