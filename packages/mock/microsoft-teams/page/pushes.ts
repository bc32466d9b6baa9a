/** Connections of the real client beside the call's own: the push socket, the roster snapshot, the chat's batches. */
import { messageOf } from './chat-message.ts'
import type { ChatLine } from './protocol.ts'

const RECONNECT_MS = 2000

/**
 * Keeps a push socket open, whose frames scripts can read on the way
 * (docs/platform-notes/microsoft-teams.md#roster-messages).
 */
export function openPushSocket(token: string): void {
  const query = new URLSearchParams({ tc: '{"cv":"2026.40"}', timeout: '40', con_num: '0', epid: token })
  const socket = new WebSocket(`wss://${location.host}/v4/c?${query}`)
  socket.addEventListener('close', () => setTimeout(() => openPushSocket(token), RECONNECT_MS))
}

/** People who came earlier are in this answer only. */
export async function fetchRoster(callId: string, token: string): Promise<void> {
  try {
    const answer = await fetch(`/api/conv/v1/conversations/${callId}/roster?epid=${token}`)
    await answer.json()
  } catch {
    // The page continues with the pushes of its socket.
  }
}

interface ChatBatch {
  data: { chatServiceBatchEvent: { message: Record<string, unknown> }[] }
}

/**
 * The client's handler of chat batches; bound by name, so that what is passed to it can be seen
 * (docs/platform-notes/microsoft-teams.md#chat).
 */
export function chatBatches(deliver: (line: ChatLine) => void): (lines: ChatLine[]) => void {
  const texts = new Map<string, string>()
  let passed: readonly ChatLine[] = []
  function onMessageReceived(batch: ChatBatch): void {
    for (const { message } of batch.data.chatServiceBatchEvent) {
      const line = passed.find(({ clientId }) => clientId === message.clientMessageId)
      if (line) deliver(line)
    }
  }
  const handler = onMessageReceived.bind(undefined)
  return (lines) => {
    passed = lines
    for (const { id, text } of lines) texts.set(id, text)
    handler({
      data: {
        chatServiceBatchEvent: lines.map((line) => ({ message: messageOf(line, texts.get(line.replyTo ?? '') ?? '') })),
      },
    })
  }
}
