/**
 * The page's own messages on its data channel: which person's picture it wants on which stream
 * (docs/platform-notes/microsoft-teams.md#the-main-channel).
 */
import type { Connection } from '../../shared/page/connection.ts'
import type { Slot } from '../../shared/page/protocol.ts'
import type { PagePerson } from './protocol.ts'
import { sourceOf } from './tiles.ts'

export const MAIN_CHANNEL = 'main-channel'
const PREFIX_BYTES = 8
const FORMAT = { 'max-fs': 920, 'max-mbps': 33_750, 'max-fps': 3000, 'profile-level-id': '64001f' }

/** Requests the pictures of these slots; a freed one is asked for with source -1. */
export class VideoRequests {
  private readonly connection: Connection
  private readonly sent = new Map<string, number>()
  private sequenceNumber = 0

  constructor(connection: Connection) {
    this.connection = connection
  }

  request(slots: readonly Slot[], people: readonly PagePerson[]): void {
    const channel = this.connection.channel(MAIN_CHANNEL)
    if (channel?.readyState !== 'open') {
      this.sent.clear()
      channel?.addEventListener('open', () => this.request(slots, people), { once: true })
      return
    }
    const wanted = new Map(slots.map(({ mid, source }) => [mid, sourceIdOf(source, people)]))
    for (const mid of this.sent.keys()) if (!wanted.has(mid)) wanted.set(mid, -1)
    for (const [mid, sourceId] of wanted) {
      if (this.sent.get(mid) === sourceId) continue
      this.sent.set(mid, sourceId)
      // The stream's number follows from the line, see the answer's `x-source-streamid`.
      const controlInfo = { sourceId, streamMsid: 1000 + Number(mid), fmtParams: [FORMAT] }
      const controlVideoStreaming = { sequenceNumber: ++this.sequenceNumber, controlInfo }
      channel.send(framed([{ type: 'sr', controlVideoStreaming }]))
    }
  }
}

function sourceIdOf(source: string, people: readonly PagePerson[]): number {
  for (const { mri, videoSource, shareSource } of people) {
    if (source === sourceOf(mri, 'Video')) return videoSource
    if (source === sourceOf(mri, 'ScreenSharing')) return shareSource
  }
  return -1
}

/** Some bytes that mean nothing here, then JSON. */
function framed(message: unknown): Uint8Array<ArrayBuffer> {
  const json = new TextEncoder().encode(JSON.stringify(message))
  const bytes = new Uint8Array(PREFIX_BYTES + json.length)
  crypto.getRandomValues(bytes.subarray(0, PREFIX_BYTES))
  bytes.set(json, PREFIX_BYTES)
  return bytes
}
