/**
 * The driver's access to the page: asks the page script, presses the elements that it names, and notices when it does
 * not answer.
 */

import { randomBytes } from 'node:crypto'
import { jsonText } from '@standin/wire/text/json-text.ts'
import { within } from '@standin/wire/time/deadline.ts'
import { inTurn } from '@standin/wire/time/in-turn.ts'
import type { ElementHandle, Frame, Page } from 'playwright'
import { BotError } from '../../../packages/core/errors.ts'
import type { Logger } from '../../../packages/core/logger.ts'
import type { AskGate, CaptureEnvironment, Clock } from '../../../packages/core/ports.ts'
import { pageScript } from '../../../packages/core/process/page-scripts.ts'
import type { BotBrowser } from '../../browser/browser.ts'
import { type CpuWaits, waitedShare } from '../../browser/cpu-waits.ts'
import { OPEN_GATE } from '../join/ahead.ts'
import type { Acknowledgement, CommonConfig, CommonSnapshot, PageApi, PageEvent } from '../page/types.ts'
import type { Waits } from '../waits.ts'
import { NoAnswer } from './no-answer.ts'
import { readAnswer, readReport } from './page-answers.ts'

export interface PollResult<Snapshot extends CommonSnapshot = CommonSnapshot> {
  snapshot: Snapshot
  events: PageEvent[]
  /** Events of this document that were dropped so far, because the driver did not ask in time. */
  dropped: number
  /** The page is another document than at the last poll, and has no state from before. */
  isNewDocument: boolean
  /** The page knows that the bot is in. */
  hasBegun: boolean
}

export interface MeetingScript {
  /** Name of the event that the script listens to; the page cannot guess it. */
  channel: string
  /** `CommonConfig.painter` */
  painter: string
  source: string
}

/** The script `bundle`, such as `page/google-meet`, with random names for its event and its painter. */
export function meetingScript<Config extends CommonConfig>(
  bundle: string,
  given: Omit<Config, 'channel' | 'carry' | 'painter'>,
): MeetingScript {
  const channel = randomBytes(12).toString('hex')
  // A name may hold line separators, which older JavaScript does not allow in a string.
  const painter = randomBytes(12).toString('hex')
  return { channel, painter, source: scriptSource(bundle, channel, { ...given, painter }) }
}

/**
 * The source of `bundle` with its configuration. The function `channel`, which carries data out, exists before any script of the
 * page, and its name is removed before the first of them runs.
 */
export function scriptSource(bundle: string, channel: string, given: object = {}): string {
  const carry = `((name) => { const carry = globalThis[name]; delete globalThis[name]; return { carry } })('${channel}')`
  return `((standinConfig) => {\n${pageScript(bundle)}\n})({ ...${jsonText({ ...given, channel })}, ...${carry} })`
}

/** Methods that a page answers at once unless it is frozen, and that are called all the time. */
const QUICK: readonly string[] = ['report', 'element', 'reference', 'chat', 'framesFault'] satisfies (keyof PageApi)[]
/** A page that has waited for a processor for this share of its silence is not frozen: the machine is busy. */
const BUSY_SHARE = 0.5
/** This process, too, may have been waiting for a processor. Milliseconds. */
const LATE_MS = 1000
const PAINTING: readonly string[] = ['openFrames', 'paintAhead', 'showComposite'] satisfies (keyof PageApi)[]

export interface PageParts {
  browser: BotBrowser
  /** Where the browser is. */
  environment: CaptureEnvironment
  /** From `meetingScript`. */
  channel: string
  clock: Clock
  logger: Logger
  waits: Waits
  /**
   * Where the meeting is, when a platform shows it in a frame; determined again for every question. Default: the page
   * itself.
   */
  frameOf?: (page: Page) => Frame
}

type Answer<Method> = Method extends (...given: never[]) => infer Result ? Awaited<Result> : never
type Given<Method> = Method extends (...given: infer Parameters) => unknown ? Parameters : never

export class MeetingPage<
  Snapshot extends CommonSnapshot = CommonSnapshot,
  Name extends string = string,
  Api extends PageApi<Snapshot, Name> = PageApi<Snapshot, Name>,
> {
  readonly browser: BotBrowser
  readonly environment: CaptureEnvironment
  readonly clock: Clock
  readonly logger: Logger
  readonly waits: Waits
  /** While it is closed, the bot does not ask to join. */
  gate: AskGate = OPEN_GATE
  readonly #channel: string
  readonly #frameOf: (page: Page) => Frame
  #acknowledged: Acknowledgement | null = null
  #document: number | null = null
  #silences = 0
  /** The end of the latest silence, and what was known of the processor then. */
  #silence: { at: number; waits: CpuWaits; isLate: boolean } | null = null
  /** Share of the time since the silence before in which the page waited for a processor; null if it is not known. */
  #busyShare: number | null = null
  #isInCall = false
  #lastSnapshot: Snapshot | null = null
  /** Answers in a row that were no snapshot. */
  #misfits = 0
  #refused = 0
  /** One use of pointer and keyboard at a time: clicks that cross each other have no effect. */
  readonly inTurn = inTurn(1)

  constructor({
    browser,
    environment,
    channel,
    clock,
    logger,
    waits,
    frameOf = (page) => page.mainFrame(),
  }: PageParts) {
    this.browser = browser
    this.environment = environment
    this.#channel = channel
    this.clock = clock
    this.logger = logger
    this.waits = waits
    this.#frameOf = frameOf
  }

  /** The bot is in: from now on a page that does not answer is noticed sooner. */
  enterCall(): void {
    this.#isInCall = true
  }

  /** Answers and events of the page that were refused because of their form. */
  get refused(): number {
    return this.#refused
  }

  get lastSnapshot(): Snapshot | null {
    return this.#lastSnapshot
  }

  /** The frame that has the meeting, or will have it. */
  get frame(): Frame {
    return this.#frameOf(this.browser.page)
  }

  /**
   * Null when this poll has no result: the page is between two documents, or slow. Rejects with INTERNAL_ERROR when the
   * browser is gone or the page did not answer several times in a row.
   */
  async poll(): Promise<PollResult<Snapshot> | null> {
    this.#mustLive()
    let report: unknown
    try {
      report = await this.#call('report', [this.#acknowledged, this.clock.now()])
    } catch (error) {
      this.#mustLive()
      if (!(error instanceof NoAnswer)) return null
      const share = this.#busyShare
      this.logger.warn('The page does not answer', { times: this.#silences, waitsForProcessor: share })
      if (this.#silences < this.#triesAt(share)) return null
      throw browserBroke('The meeting page is frozen: it did not answer several times in a row.', error)
    }
    if (!report) return null
    const read = readReport<Snapshot>(report)
    if (read === null) {
      this.#refused += 1
      this.#misfits += 1
      this.logger.warn('The page gave an answer that cannot be one', { times: this.#misfits })
      if (this.#misfits < this.waits.answerTries) return null
      throw browserBroke('The meeting page is broken: what it answered several times in a row cannot be an answer.')
    }
    this.#misfits = 0
    this.#refused += read.refused
    const { snapshot, events, hasBegun, dropped } = read
    this.#lastSnapshot = snapshot
    if (read.lastNumber !== null) this.#acknowledged = { document: read.document, number: read.lastNumber }
    const isNewDocument = this.#document !== read.document
    this.#document = read.document
    return { snapshot, events, isNewDocument, hasBegun, dropped }
  }

  /** Null if no script of ours answers, as between two documents. Rejects with NoAnswer if it is too slow. */
  async ask<Method extends keyof Api & string>(
    method: Method,
    ...given: Given<Api[Method]>
  ): Promise<Answer<Api[Method]> | null> {
    const { answer, isRefused } = readAnswer(method, await this.#unlessGone(this.#call(method, given)))
    if (isRefused) this.#refused += 1
    return answer as Answer<Api[Method]> | null
  }

  async element(name: Name): Promise<ElementHandle<HTMLElement> | null> {
    return this.#handle('element', name)
  }

  /**
   * Presses a control with the pointer, as a person does; if the pointer cannot reach it, by a click in the page.
   */
  press(name: Name): Promise<boolean> {
    return this.inTurn(async () => {
      const element = await this.element(name)
      return element !== null && this.#press(element, name)
    })
  }

  /** Presses a button of a dialog of the latest snapshot, likewise. */
  pressReference(ref: number, label: string): Promise<boolean> {
    return this.inTurn(async () => {
      const element = await this.#handle('reference', ref)
      return element !== null && this.#press(element, label)
    })
  }

  /** Types into a text box; false if it is missing or does not accept text. */
  fill(name: Name, text: string): Promise<boolean> {
    return this.inTurn(async () => {
      const box = await this.element(name)
      if (!box) return false
      try {
        // The page may replace the box meanwhile; the next poll shows the result.
        await box.fill(text, { timeout: this.waits.clickMs })
        return true
      } catch (error) {
        this.logger.debug('A text box did not take its text', { box: name, error })
        return false
      } finally {
        await box.dispose().catch(() => {})
      }
    })
  }

  /** Presses a key while this element has the focus; false if it is not there. */
  pressKey(name: Name, key: string): Promise<boolean> {
    return this.inTurn(async () => {
      const element = await this.element(name)
      if (!element) return false
      try {
        await element.press(key, { timeout: this.waits.clickMs })
        return true
      } catch (error) {
        this.logger.debug('A key did not reach its element', { element: name, key, error })
        return false
      } finally {
        await element.dispose().catch(() => {})
      }
    })
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
      this.logger.debug('The pointer did not reach a button; it is clicked in the page', { label, error })
      const clicked = element.evaluate((button) => button.click()).then(() => true)
      return await this.#answered('element', clicked).catch(() => false)
    } finally {
      await element.dispose().catch(() => {})
      await this.#parkPointer()
    }
  }

  /** A pointer that rests on a button brings up its tooltip, a separate window that the recording would show. */
  async #parkPointer(): Promise<void> {
    await within(this.clock, this.waits.clickMs, this.browser.page.mouse.move(0, 0), () => new NoAnswer()).catch(
      (error) => this.logger.debug('The pointer was not parked', { error }),
    )
  }

  async #call(method: string, given: unknown[]): Promise<unknown> {
    const answer = this.frame.evaluate(callPage, { channel: this.#channel, method, given })
    return this.#answered(method, answer)
  }

  /** Rejects with NoAnswer past the method's limit. Counts silences of the quick methods until one is answered. */
  async #answered<Result>(method: string, answer: Promise<Result>): Promise<Result> {
    const { answerMs, callAnswerMs, paintMs } = this.waits
    const isQuick = QUICK.includes(method)
    const limitMs = PAINTING.includes(method) ? paintMs : isQuick && this.#isInCall ? callAnswerMs : answerMs
    const askedAt = this.clock.now()
    try {
      const result = await within(this.clock, limitMs, answer, () => new NoAnswer())
      if (isQuick) this.#silences = 0
      return result
    } catch (error) {
      if (isQuick && error instanceof NoAnswer) await this.#noteSilence(askedAt, limitMs)
      throw error
    }
  }

  /** Several questions that went unanswered at the same time count as one silence. */
  async #noteSilence(askedAt: number, limitMs: number): Promise<void> {
    const at = this.clock.now()
    if (this.#silences > 0 && this.#silence && askedAt < this.#silence.at) return
    const before = this.#silences > 0 ? this.#silence : null
    this.#silences++
    // At once, so that a question that waits with this one finds it counted.
    const silence = { at, waits: new Map() as CpuWaits, isLate: at - askedAt > limitMs + LATE_MS }
    this.#silence = silence
    silence.waits = await this.browser.cpuWaits()
    this.#busyShare = silence.isLate ? 1 : before && waitedShare(before.waits, silence.waits, at - before.at)
  }

  /** How many questions in a row a page may leave unanswered. */
  #triesAt(share: number | null): number {
    const { answerTries, callAnswerTries, busyAnswerTries } = this.waits
    if (!this.#isInCall) return answerTries
    return this.#silences >= callAnswerTries && (share === null || share >= BUSY_SHARE)
      ? busyAnswerTries
      : callAnswerTries
  }

  async #handle(method: 'element' | 'reference', given: Name | number) {
    const call = { channel: this.#channel, method, given: [given] as unknown[] }
    const found = this.frame.evaluateHandle(callPage, call)
    const handle = await this.#unlessGone(this.#answered(method, found))
    const element = (handle?.asElement() ?? null) as ElementHandle<HTMLElement> | null
    if (!element) await handle?.dispose().catch(() => {})
    return element
  }

  /** A question to a page that is just being replaced has no answer; that is no failure. */
  async #unlessGone<Found>(answer: Promise<Found>): Promise<Found | null> {
    try {
      return await answer
    } catch (error) {
      if (error instanceof NoAnswer) throw error
      this.#mustLive()
      this.logger.debug('The page was replaced while it was asked', { error })
      return null
    }
  }

  #mustLive(): void {
    const { ended } = this.browser
    if (ended !== null) throw browserBroke(`The browser broke: ${ended}`)
  }
}

/** A broken browser says nothing about the meeting, so a fresh browser may continue where this one ended. */
export function browserBroke(message: string, cause?: unknown): BotError {
  return new BotError('INTERNAL_ERROR', message, { step: 'page', canRetry: true, cause })
}

/** Runs in the page: it can use its argument only. */
function callPage(call: { channel: string; method: string; given: unknown[]; answer?: unknown }): unknown {
  document.dispatchEvent(new CustomEvent(call.channel, { detail: call }))
  return call.answer ?? null
}
