/**
 * Takes commands, runs each once, and keeps its answer for the case that the link breaks before the answer arrives:
 * the control plane then asks again under the same id and gets the same answer.
 */

import type { BotCommand } from '@standin/wire/commands.ts'
import { answerSchema } from '@standin/wire/control-link.ts'
import { problemsOf } from '@standin/wire/job.ts'
import { messageOf } from '@standin/wire/text/error-text.ts'
import { jsonText } from '@standin/wire/text/json-text.ts'
import { systemClock, within } from '@standin/wire/time/deadline.ts'
import type { Logger } from '../../packages/core/logger.ts'
import { redactText } from '../../packages/core/logger.ts'
import type { CommandAnswer } from '../../packages/core/ports.ts'

/** A command that hangs must not keep the later ones waiting for ever. */
const COMMAND_DEADLINE_MS = 60_000
/** The longest texts that the bot may have to say take half of it. */
const SAY_DEADLINE_MS = 180_000
/** Commands that do not take their turn: speech and the load of a page last, and what ends them, the agent or the bot must not wait. */
const BESIDE: ReadonlySet<BotCommand['type']> = new Set([
  'leave',
  'say',
  'stop_saying',
  'show_page',
  'stop_page',
  'agent',
])
/** Commands that wait for their turn; more than this is a flood. */
export const MAX_WAITING_COMMANDS = 100
/** Ids are remembered longer than answers: a command is rather refused than run twice. */
export const MAX_REMEMBERED_IDS = 10_000
export const MAX_REMEMBERED_SIZE = 16 * 1024 * 1024
export const MAX_ANSWER_SIZE = 8 * 1024 * 1024

interface Entry {
  /** The message as it goes over the link; null while the command waits or runs, or once it is too old to keep. */
  text: string | null
  isAnswered: boolean
  /** Number of the connection it was last sent on. */
  sentOn: number | null
}

export interface CommandDispatcherOptions {
  logger: Logger
  /** Hands an answer to the connection that is open now and says which one that is; null if none is. */
  send(text: string): number | null
  deadlineMs?: number
}

export class CommandDispatcher {
  readonly #options: CommandDispatcherOptions
  readonly #entries = new Map<string, Entry>()
  readonly #waiting: { command: BotCommand; done: (answer: CommandAnswer) => void }[] = []
  #listener: ((command: BotCommand) => Promise<CommandAnswer>) | null = null
  #isBusy = false
  #rememberedSize = 0

  constructor(options: CommandDispatcherOptions) {
    this.#options = options
  }

  /** Commands that came earlier are run now. */
  listen(listener: (command: BotCommand) => Promise<CommandAnswer>): void {
    this.#listener = listener
    const isBeside = ({ command }: { command: BotCommand }) => BESIDE.has(command.type)
    for (const { command, done } of this.#waiting.filter(isBeside)) void this.#run(command).then(done)
    this.#waiting.splice(0, this.#waiting.length, ...this.#waiting.filter((one) => !isBeside(one)))
    void this.#work()
  }

  /** A command from the link, on the connection of that number. */
  receive(id: string, command: BotCommand, connection: number): void {
    if (this.#isKnown(id, connection)) return
    this.#remember(id)
    void this.submit(command).then((answer) => this.#answer(id, answer))
  }

  /** A command that cannot be understood. */
  refuse(id: string, message: string, connection: number): void {
    if (this.#isKnown(id, connection)) return
    this.#remember(id)
    this.#answer(id, { ok: false, code: 'INVALID_COMMAND', message })
  }

  /** A command from inside the process, such as a line typed in the terminal. Takes its turn; never rejects. */
  submit(command: BotCommand): Promise<CommandAnswer> {
    if (BESIDE.has(command.type) && this.#listener) return this.#run(command)
    // Room is kept for a leave behind the flood.
    if (this.#waiting.length >= MAX_WAITING_COMMANDS * (command.type === 'leave' ? 2 : 1))
      return Promise.resolve(failed(`More than ${MAX_WAITING_COMMANDS} commands wait already.`))
    return new Promise((done) => {
      this.#waiting.push({ command, done })
      void this.#work()
    })
  }

  /** Sends the answers that no connection has carried yet. */
  sendUnsent(): void {
    for (const entry of this.#entries.values()) if (entry.sentOn === null) this.#send(entry)
  }

  get hasUnsent(): boolean {
    return [...this.#entries.values()].some((entry) => entry.isAnswered && entry.sentOn === null && entry.text !== null)
  }

  async #work(): Promise<void> {
    if (this.#isBusy || this.#listener === null) return
    this.#isBusy = true
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) next.done(await this.#run(next.command))
    this.#isBusy = false
  }

  async #run(command: BotCommand): Promise<CommandAnswer> {
    const usualMs = command.type === 'say' ? SAY_DEADLINE_MS : COMMAND_DEADLINE_MS
    const limitMs = this.#options.deadlineMs ?? usualMs
    const late = () => new Error(`The command was not done within ${limitMs / 1000} s.`)
    try {
      return await within(systemClock, limitMs, this.#listener!(command), late)
    } catch (error) {
      this.#options.logger.error('A command broke', { command: command.type, error })
      return failed(redactText(messageOf(error)))
    }
  }

  /** Answers a command that came before, if it has an answer and this connection has not carried it yet. */
  #isKnown(id: string, connection: number): boolean {
    const entry = this.#entries.get(id)
    if (!entry) return false
    if (entry.isAnswered && entry.sentOn !== connection) {
      if (entry.text === null)
        this.#setText(entry, answerText(id, failed('The command was run; its answer is too old.')))
      this.#send(entry)
    }
    return true
  }

  #answer(id: string, answer: CommandAnswer): void {
    const entry = this.#entries.get(id)
    if (!entry) return
    entry.isAnswered = true
    this.#setText(entry, this.#textOf(id, answer))
    this.#send(entry)
    this.#forgetOldAnswers()
  }

  #setText(entry: Entry, text: string): void {
    entry.text = text
    this.#rememberedSize += text.length
  }

  #textOf(id: string, answer: CommandAnswer): string {
    const checked = answerSchema.safeParse({ type: 'answer', id, ...answer })
    if (!checked.success) {
      this.#options.logger.error('An answer does not fit the link', { id, problems: problemsOf(checked.error) })
      return answerText(id, failed('The command was run, but its answer cannot be sent.'))
    }
    const text = jsonText(checked.data)
    if (text.length <= MAX_ANSWER_SIZE) return text
    return answerText(id, failed(`The command was run, but its answer has ${text.length} characters.`))
  }

  #send(entry: Entry): void {
    if (entry.text !== null) entry.sentOn = this.#options.send(entry.text) ?? entry.sentOn
  }

  #remember(id: string): void {
    this.#entries.set(id, { text: null, isAnswered: false, sentOn: null })
    for (const [oldId, old] of this.#entries) {
      if (this.#entries.size <= MAX_REMEMBERED_IDS) break
      // A running command still answers later.
      if (!old.isAnswered) continue
      this.#rememberedSize -= old.text?.length ?? 0
      this.#entries.delete(oldId)
    }
  }

  #forgetOldAnswers(): void {
    for (const old of this.#entries.values()) {
      if (this.#rememberedSize <= MAX_REMEMBERED_SIZE) return
      this.#rememberedSize -= old.text?.length ?? 0
      old.text = null
    }
  }
}

function answerText(id: string, answer: CommandAnswer): string {
  return jsonText({ type: 'answer', id, ...answer })
}

function failed(message: string): CommandAnswer {
  return { ok: false, code: 'COMMAND_FAILED', message }
}
