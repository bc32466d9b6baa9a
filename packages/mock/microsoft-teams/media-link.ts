/** Teams' data channel beside a visit's media, and the names of its streams. */
import type { DataChannelLike, MediaSession } from '../media/room.ts'
import { MediaLink, type MediaLinkPorts } from '../shared/media-link.ts'
import { channelMessage, readChannelMessage, withStreamNumbers } from './push.ts'

const MAIN_CHANNEL = 'main-channel'
/** Longer messages of the page are noted in part. */
const MAX_NOTE_LENGTH = 500

export class TeamsMediaLink extends MediaLink {
  private channel: DataChannelLike | null = null

  constructor(ports: MediaLinkPorts) {
    super({
      ...ports,
      describe: withStreamNumbers,
      session: {
        streamId: ({ kind, index }) => (kind === 'audio' ? `mainAudio-${index + 1}` : `mainVideo-${index + 1}`),
      },
      opened: (session: MediaSession) => {
        session.onChannel((label, channel) => {
          if (label !== MAIN_CHANNEL) return
          this.channel = channel
          channel.onMessage((data) => {
            const message = typeof data === 'string' ? data : readChannelMessage(data)
            ports.note(MAIN_CHANNEL, JSON.stringify(message).slice(0, MAX_NOTE_LENGTH))
          })
        })
      },
      closed: () => {
        this.channel = null
      },
    })
  }

  /** Sends a message on the page's main channel, if there is one. */
  sendOnChannel(message: unknown): void {
    this.channel?.send(channelMessage(message))
  }

  /** Simulates a platform that has changed its protocol. */
  sendUnknown(bytes: Uint8Array): void {
    this.channel?.send(bytes)
  }
}
