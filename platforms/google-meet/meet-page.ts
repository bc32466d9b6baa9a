/** The driver's hands and eyes: asks the page script, presses what it points at, and notices when nobody answers. */
import { randomBytes } from 'node:crypto'
import type { ElementHandle } from 'playwright'
import type { BotBrowser } from '../../src/browser.ts'
import { within } from '../../src/clock.ts'
import { BotError } from '../../src/errors.ts'
import type { Logger } from '../../src/logger.ts'
import { pageScript } from '../../src/page-scripts.ts'
import type { Clock } from '../../src/ports.ts'
import type { ElementName, PageApi, PageConfig, PageEvent, PageSigns } from './page/types.ts'
import { SELECTORS } from './selectors.ts'
import { labelSources, TEXTS } from './texts.ts'
import type { Waits } from './waits.ts'

export interface Look {
  signs: PageSigns
  events: PageEvent[]
}

/** A name nobody can guess and the source of the script that listens to it. */
export function meetingScript(given: Pick<PageConfig, 'botName' | 'botImage' | 'recordingMode'>): {
  channel: string
  source: string
} {
  const config: PageConfig = {
    ...given,
    channel: randomBytes(12).toString('hex'),
    meetingHosts: ['meet.google.com'],
    selectors: SELECTORS,
    labels: labelSources(),
    joinLabels: TEXTS.labels.join.map(({ source }) => source),
  }
  // The line separators are legal in JSON and were not in scripts; a name may hold anything.
  const data = JSON.stringify(config).replace(/[\u2028\u2029]/g, (mark) => (mark === '\u2028' ? '\\u2028' : '\\u2029'))
  return { channel: config.channel, source: `((standinConfig) => {\n${pageScript('page/google-meet')}\n})(${data})` }
}

export class MeetPage {
  readonly browser: BotBrowser
  readonly clock: Clock
  readonly logger: Logger
  readonly waits: Waits
  readonly #channel: string
  #acknowledged = 0
  #silences = 0
  #lastSigns: PageSigns | null = null
  /** One hand at a time: clicks that cross each other press nothing. */
  #hand: Promise<unknown> = Promise.resolve()

  constructor(browser: BotBrowser, channel: string, parts: { clock: Clock; logger: Logger; waits: Waits }) {
    this.browser = browser
    this.#channel = channel
    this.clock = parts.clock
    this.logger = parts.logger
    this.waits = parts.waits
  }

  get lastSigns(): PageSigns | null {
    return this.#lastSigns
  }

  /**
   * Null when this look gave nothing: the page is between two documents, or slow. Rejects with INTERNAL_ERROR when the
   * browser is gone or the page did not answer several times in a row.
   */
  async look(): Promise<Look | null> {
    this.#mustLive()
    let snapshot: Awaited<ReturnType<PageApi['snapshot']>> | null
    try {
      snapshot = await this.ask('snapshot', this.#acknowledged)
    } catch (error) {
      this.#mustLive()
      if (!(error instanceof NoAnswer)) return null
      this.#silences++
      this.logger.warn('The page does not answer', { times: this.#silences })
      if (this.#silences < this.waits.answerTries) return null
      throw new BotError('INTERNAL_ERROR', 'The meeting page is frozen: it did not answer several times in a row.', {
        step: 'page',
        cause: error,
      })
    }
    this.#silences = 0
    if (!snapshot) return null
    this.#lastSigns = snapshot.signs
    this.#acknowledged = snapshot.events.at(-1)?.number ?? this.#acknowledged
    return { signs: snapshot.signs, events: snapshot.events.map(({ event }) => event) }
  }

  /** Null where no script of ours listens. */
  async ask<Method extends keyof PageApi>(
    method: Method,
    ...given: Parameters<PageApi[Method]>
  ): Promise<Awaited<ReturnType<PageApi[Method]>> | null> {
    const answer = this.browser.page.evaluate(callPage, { channel: this.#channel, method, given: given as unknown[] })
    const limitMs = method === 'showComposite' ? this.waits.paintMs : this.waits.answerMs
    return (await within(this.clock, limitMs, answer, () => new NoAnswer())) as Awaited<
      ReturnType<PageApi[Method]>
    > | null
  }

  async element(name: ElementName): Promise<ElementHandle<HTMLElement> | null> {
    return this.#handle('element', name)
  }

  /** Presses a control as a person does, with the pointer; where the pointer cannot reach it, without. */
  press(name: ElementName): Promise<boolean> {
    return this.inTurn(async () => {
      const element = await this.element(name)
      if (!element) return false
      if (await this.#press(element, name)) return true
      return (await this.ask('clickElement', name)) === true
    })
  }

  /** Presses a button of a dialog of the latest look. */
  pressReference(ref: number, label: string): Promise<boolean> {
    return this.inTurn(async () => {
      const element = await this.#handle('reference', ref)
      return element !== null && this.#press(element, label)
    })
  }

  /** Runs when every earlier use of the pointer and the keyboard is done. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#hand.then(work)
    this.#hand = result.catch(() => {})
    return result
  }

  /** Toolbars hide when no pointer moves. */
  async wakePointer(): Promise<void> {
    const { mouse } = this.browser.page
    const width = 640 + Math.round(Math.random() * 60)
    await within(
      this.clock,
      this.waits.clickMs,
      mouse.move(width, 400).then(() => mouse.move(width + 12, 410, { steps: 3 })),
      () => new NoAnswer(),
    ).catch((error) => this.logger.debug('The pointer did not move', { error }))
  }

  async #press(element: ElementHandle<HTMLElement>, label: string): Promise<boolean> {
    try {
      await element.click({ timeout: this.waits.clickMs, delay: 30 })
      return true
    } catch (error) {
      this.logger.debug('A click did not reach its button', { label, error })
      return false
    } finally {
      await element.dispose().catch(() => {})
      await this.#parkPointer()
    }
  }

  /** A pointer that rests on a button brings up its tooltip, a window of its own that the recording would show. */
  async #parkPointer(): Promise<void> {
    await within(this.clock, this.waits.clickMs, this.browser.page.mouse.move(0, 0), () => new NoAnswer()).catch(
      (error) => this.logger.debug('The pointer was not parked', { error }),
    )
  }

  async #handle(method: 'element' | 'reference', given: ElementName | number) {
    const { page } = this.browser
    const call = { channel: this.#channel, method, given: [given] as unknown[] }
    const handle = await within(
      this.clock,
      this.waits.answerMs,
      page.evaluateHandle(callPage, call),
      () => new NoAnswer(),
    )
    const element = handle.asElement() as ElementHandle<HTMLElement> | null
    if (!element) await handle.dispose()
    return element
  }

  #mustLive(): void {
    const { ended } = this.browser
    if (ended !== null) throw new BotError('INTERNAL_ERROR', `The browser broke: ${ended}`, { step: 'page' })
  }
}

/** The page did not answer in time; it may be busy. */
export class NoAnswer extends Error {
  constructor() {
    super('The page did not answer in time')
    this.name = 'NoAnswer'
  }
}

/** Runs in the page: everything it knows comes in by its argument. */
function callPage(call: { channel: string; method: string; given: unknown[]; answer?: unknown }): unknown {
  document.dispatchEvent(new CustomEvent(call.channel, { detail: call }))
  return call.answer ?? null
}
