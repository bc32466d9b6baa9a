import type { Clock, ControlPlane, MeetingDriver } from './ports.ts'
import type { Timeline } from './timeline.ts'

/** Writes into the meeting's chat and notes what was written: for the entry message, commands and typed lines alike. */
export class BotChat {
  readonly #parts: { botName: string; timeline: Timeline; control: Pick<ControlPlane, 'report'>; clock: Clock }
  #sent = 0

  constructor(parts: { botName: string; timeline: Timeline; control: Pick<ControlPlane, 'report'>; clock: Clock }) {
    this.#parts = parts
  }

  /** Rejects with ChatUnavailable where chat is off; nothing is noted then. */
  async send(meeting: MeetingDriver, text: string): Promise<void> {
    await meeting.sendChat(text)
    const { botName, timeline, control, clock } = this.#parts
    this.#sent += 1
    const at = clock.now()
    const message = { id: `own-${this.#sent}`, senderId: null, senderName: botName, text, at, isOwn: true }
    timeline.takeChat(message)
    control.report({
      type: 'chat_message',
      message_id: message.id,
      sender_id: null,
      sender_name: botName,
      text,
      timestamp: new Date(at).toISOString(),
      is_own: true,
    })
  }
}
