/** Passes each event of the bot to the journal and to listeners in this process. */

import type { Status } from '@standin/wire/codes.ts'
import { type BotEvent, botEventSchema, MAX_EVENT_BYTES, type NumberedEvent } from '@standin/wire/events.ts'
import { problemsOf } from '@standin/wire/job.ts'
import { jsonText } from '@standin/wire/text/json-text.ts'
import { type Logger, redactText } from '../../packages/core/logger.ts'
import type { Journal } from './journal.ts'

export interface ReporterOptions {
  journal: Journal
  logger: Logger
  /** Called with every event that was numbered; what it throws is logged. */
  onEvent?: ((event: NumberedEvent) => void) | undefined
}

export class Reporter {
  readonly #options: ReporterOptions
  #status: Status = 'joining_call'

  constructor(options: ReporterOptions) {
    this.#options = options
  }

  /** The status that was reported last. */
  get status(): Status {
    return this.#status
  }

  /** Never throws. */
  report(event: BotEvent): void {
    const checked = this.#checked(event)
    if (checked.type === 'status_change') this.#status = checked.status
    const numbered = this.#options.journal.append(checked)
    if (numbered === null) return
    try {
      this.#options.onEvent?.(numbered)
    } catch (error) {
      this.#options.logger.error('A listener of events broke', { error })
    }
  }

  /** The event, or a notice in its place where it does not fit: the control plane should know that one is missing. */
  #checked(event: BotEvent): BotEvent {
    const checked = botEventSchema.safeParse(event)
    const size = checked.success ? Buffer.byteLength(jsonText(checked.data)) : 0
    if (checked.success && size <= MAX_EVENT_BYTES) return withoutSecrets(checked.data)
    const problems = checked.success
      ? [{ path: '', message: `has ${size} bytes` }]
      : problemsOf(checked.error).slice(0, 20)
    this.#options.logger.error('An event does not fit the protocol', { type: event.type, problems })
    const what = problems.map(({ path, message }) => `${path || 'event'}: ${message}`).join('; ')
    const message = redactText(`An event of type ${event.type} was left out: ${what}`.slice(0, 2_000))
    return { type: 'notice', level: 'warning', message }
  }
}

/** Sentences about errors may quote an address; the journal is a file that others read. */
function withoutSecrets(event: BotEvent): BotEvent {
  if (event.type === 'notice') return { ...event, message: redactText(event.message) }
  if (!('error_message' in event) || typeof event.error_message !== 'string') return event
  return { ...event, error_message: redactText(event.error_message) }
}
