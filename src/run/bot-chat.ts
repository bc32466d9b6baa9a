import type { Clock, ControlPlane, InMeeting } from '../../packages/core/ports.ts'
import type { ChatRecord } from './chat-record.ts'

interface Parts {
  botName: string
  record: ChatRecord
  control: Pick<ControlPlane, 'report'>
  clock: Clock
}

/** Writes into the meeting's chat and notes what was written: for the entry message, commands and typed lines alike. */
export class BotChat {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Rejects with ChatUnavailable if chat is off; nothing is noted then. */
  async send(meeting: InMeeting, text: string): Promise<void> {
    await meeting.sendChat(text)
    const { botName, record, control, clock } = this.#parts
    control.report(record.takeOwn(botName, text, clock.now()))
  }
}
