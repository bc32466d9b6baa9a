/**
 * The meeting's own messages: the data channels `collections` and `captions`, and the HTTP call that returns the first
 * whole roster (docs/platform-notes/google-meet.md#data-channels).
 */
import type { WebRtcTap } from '../../shared/page/audio/webrtc-tap.ts'
import { UnreadMessage, type UnreadMessages } from '../../shared/page/chat/unread-messages.ts'
import { listenToFetch } from '../../shared/page/fetched-answers.ts'
import { pageNow } from '../../shared/page/page-clock.ts'
import { type CaptionRecord, decodeCaptions } from './captions.ts'
import { type CollectionUpdate, decodeCollection, decodeSync, type UserRecord } from './collections.ts'

export interface MeetingChannelHandlers {
  /** Counts the messages that cannot be read. */
  unread: UnreadMessages
  onCollection(update: CollectionUpdate, at: number): void
  /** Null if the driver wants no captions. */
  onCaptions: ((records: CaptionRecord[], at: number) => void) | null
  onRosterCall(users: UserRecord[], at: number): void
}

/** Has to be called at document start, before the page opens its channels. */
export function listenToMeetingChannels(tap: WebRtcTap, handlers: MeetingChannelHandlers): void {
  const { unread, onCollection, onCaptions, onRosterCall } = handlers
  let order = Promise.resolve()

  /** Resolves with whether the message holds a known field. Rejects if it is of another format. */
  async function handleCollection(data: unknown, at: number): Promise<boolean> {
    const update = await decodeCollection(await bytesOf(data))
    onCollection(update, at)
    return update.users.length + update.outputs.length + update.chat.length > 0
  }

  const handleCaptions =
    onCaptions &&
    (async (data: unknown, at: number): Promise<boolean> => {
      const records = await decodeCaptions(await bytesOf(data))
      onCaptions(records, at)
      return records.length > 0
    })

  tap.onDataChannel(({ channel, label }) => {
    const handle = label === 'collections' ? handleCollection : label === 'captions' ? handleCaptions : null
    if (handle === null) return
    channel.addEventListener('message', ({ data }) => {
      const at = pageNow()
      // Decompression is asynchronous; messages keep their order.
      order = order
        .then(() => handle(data, at))
        .then(
          (isKnown) => unread.note(label, isKnown ? 'read' : 'empty'),
          () => unread.note(label, 'unread'),
        )
    })
  })

  listenToFetch(/SyncMeetingSpaceCollections/, (text) => {
    try {
      const users = decodeSync(text)
      onRosterCall(users, pageNow())
      unread.note('roster call', users.length > 0 ? 'read' : 'empty')
    } catch {
      unread.note('roster call', 'unread')
    }
  })
}

async function bytesOf(data: unknown): Promise<ArrayBuffer> {
  const bytes = data instanceof Blob ? await data.arrayBuffer() : data
  if (bytes instanceof ArrayBuffer) return bytes
  throw new UnreadMessage('A message without bytes')
}
