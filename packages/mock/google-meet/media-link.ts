/** Google Meet's data channels beside a visit's media. */
import type { DataChannelLike, MediaSession } from '../media/room.ts'
import { MediaLink, type MediaLinkPorts } from '../shared/media-link.ts'

export interface ChannelPorts {
  /** Called when the channel for the roster is there. */
  onCollections(channel: DataChannelLike): void
  onPageMessage(text: string): void
}

export class GoogleMeetMediaLink extends MediaLink {
  captions: DataChannelLike | null = null

  constructor(ports: MediaLinkPorts, channels: ChannelPorts) {
    let collections: DataChannelLike | null = null
    super({
      ...ports,
      session: { streamId: ({ index, kind }) => streamId(kind, index) },
      opened: (session: MediaSession) => {
        session.onChannel((label, channel) => {
          if (label === 'captions') this.captions = channel
          if (label === 'meet_messages') channel.onMessage((data) => channels.onPageMessage(String(data)))
        })
        collections = session.openChannel('collections')
      },
      answered: () => {
        if (collections) channels.onCollections(collections)
      },
      closed: () => {
        collections = null
        this.captions = null
      },
    })
  }
}

/** Streams of the real platform have numeric ids. */
function streamId(kind: 'audio' | 'video', index: number): string {
  return String((kind === 'audio' ? 6_000_000 : 7_000_000) + 101 * index)
}
