/**
 * The meeting's own messages: the data channel of the media server, the signalling socket, the HTTP response with the
 * roster, and the chat that the service pushes (docs/platform-notes/microsoft-teams.md#roster-messages).
 */
import type { WebRtcTap } from '../../shared/page/audio/webrtc-tap.ts'
import type { UnreadMessages } from '../../shared/page/chat/unread-messages.ts'
import { wrapConstructor } from '../../shared/page/dom/patch-native.ts'
import { listenToChat, type PushedMessage } from './chat-push.ts'
import { type ChannelMessage, readChannelMessage } from './main-channel.ts'
import { listenToRosterCalls } from './roster-calls.ts'
import { type PersonRecord, readFrame, type SignallingMessage } from './signalling.ts'

export interface MeetingChannelHandlers {
  /** Counts the messages that cannot be read. */
  unread: UnreadMessages
  /** The bot's call; null while it is not known. */
  callId(): string | null
  onChannelMessage(message: ChannelMessage): void
  onRoster(people: PersonRecord[]): void
  /** `senderMri` is null if the message does not name who ended the call. */
  onEnd(end: { subCode: number; senderMri: string | null }): void
  onChat(messages: PushedMessage[]): void
}

/** Has to be called at document start, before the page opens its channels. */
export function listenToMeetingChannels(tap: WebRtcTap, handlers: MeetingChannelHandlers): void {
  const { unread, callId, onChannelMessage, onRoster, onEnd, onChat } = handlers

  tap.onDataChannel(({ channel, label }) => {
    if (label !== 'main-channel') return
    channel.addEventListener('message', ({ data }) => {
      void bytesOf(data)
        .then((bytes) => {
          const message = readChannelMessage(bytes)
          if (message) onChannelMessage(message)
        })
        .then(
          () => unread.note(label, 'read'),
          () => unread.note(label, 'unread'),
        )
    })
  })

  function handleSignalling(message: SignallingMessage | null): void {
    // Several calls may share the socket; until the bot's call is known, every message counts.
    if (!message || (callId() !== null && message.callId !== null && message.callId !== callId())) return
    if (message.kind === 'end') {
      onEnd(message)
      return
    }
    onRoster(message.people)
    unread.note('signalling', message.people.length > 0 ? 'read' : 'empty')
  }

  let order = Promise.resolve()
  listenToSockets((frame) => {
    // Decompression is asynchronous; messages keep their order.
    order = order
      .then(async () => handleSignalling(await readFrame(frame)))
      .catch(() => unread.note('signalling', 'unread'))
  })
  listenToRosterCalls(onRoster, () => unread.note('roster call', 'unread'))
  listenToChat(onChat, () => unread.note('chat', 'unread'))
}

async function bytesOf(data: unknown): Promise<ArrayBuffer | string> {
  if (data instanceof Blob) return data.arrayBuffer()
  return data instanceof ArrayBuffer || typeof data === 'string' ? data : ''
}

/** Calls `heard` for every text frame. To be called at document start. */
function listenToSockets(heard: (frame: string) => void): void {
  wrapConstructor<WebSocket>(globalThis, 'WebSocket', (socket) => {
    socket.addEventListener('message', ({ data }) => {
      if (typeof data === 'string') heard(data)
    })
  })
}
