import type { BotCommand } from '@standin/wire/commands.ts'
import type { AccountReport, FreshToken, LeasedAccount, LinkRequest } from '@standin/wire/control-link.ts'
import type { NumberedEvent, Transcript } from '@standin/wire/events.ts'
import type { StorageKeys } from '@standin/wire/job.ts'
import type { Logger } from '../../packages/core/logger.ts'
import type { CommandAnswer, ControlPlane } from '../../packages/core/ports.ts'
import { CommandDispatcher } from './command-dispatcher.ts'
import { Journal } from './journal.ts'
import { Reporter } from './reporter.ts'

type AccountNews = Omit<Extract<LinkRequest, { type: 'account_report_request' }>, 'type' | 'id'>

/** The bot's end of a link, which also takes commands from inside the process. */
export interface CommandedControlPlane extends ControlPlane {
  /** Rejects with a sentence if the control plane cannot be asked or does not answer in time. */
  askForToken(): Promise<FreshToken>
  /** New keys of the storage. Rejects likewise, and if the control plane has none. */
  askForKeys(): Promise<StorageKeys>
  /** An account of the team with its session, or why there is none. Rejects likewise. */
  askForAccount(): Promise<LeasedAccount>
  /** Rejects likewise. */
  reportAccount(report: AccountNews): Promise<AccountReport>
  /** Runs in turn with those of the control plane. Never rejects. */
  submit(command: BotCommand): Promise<CommandAnswer>
}

export interface LocalOptions {
  /** The recording's folder, which holds the journal; made if it is missing. */
  folder: string
  botId: string
  logger: Logger
  /** Sees every event once it is numbered and on disk. */
  onEvent?: (event: NumberedEvent) => void
  /** Sees words that may still change. */
  onPartial?: (partial: Transcript) => void
}

const none = async () => Promise.reject(new Error('the bot has no control plane'))

/** Where no control plane was named: events go into the journal, commands come from inside the process only. */
export function createLocalControlPlane(options: LocalOptions): CommandedControlPlane {
  const journal = new Journal(options)
  const reporter = new Reporter({ journal, logger: options.logger, onEvent: options.onEvent })
  const dispatcher = new CommandDispatcher({ logger: options.logger, send: () => null })
  return {
    report: (event) => reporter.report(event),
    show: (partial) => options.onPartial?.(partial),
    onCommand: (listener) => dispatcher.listen(listener),
    askForToken: none,
    askForKeys: none,
    askForAccount: none,
    reportAccount: none,
    submit: (command) => dispatcher.submit(command),
    // There is no welcome to wait for.
    whenWelcomed: () => Promise.resolve(),
    drain: () => journal.flush(),
    close: () => journal.close(),
  }
}
