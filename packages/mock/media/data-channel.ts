import type { RTCDataChannel } from 'werift'

/** A data channel as the mock servers use it. */
export interface DataChannelLike {
  readonly label: string
  /** Strings go as text, bytes as binary; kept until the channel opens, dropped after it closed. */
  send(data: string | Uint8Array): void
  onMessage(listener: (data: string | Uint8Array) => void): void
}

export class MediaDataChannel implements DataChannelLike {
  readonly label: string
  #channel: RTCDataChannel | null = null
  #isClosed = false
  readonly #unsent: (string | Buffer)[] = []
  readonly #onMessage: ((data: string | Uint8Array) => void)[] = []

  constructor(label: string) {
    this.label = label
  }

  /** Binds the real channel, which exists only once the page has offered data channels at all. */
  attach(channel: RTCDataChannel): void {
    this.#channel = channel
    channel.onMessage.subscribe((data) => {
      for (const listener of this.#onMessage) listener(data)
    })
    channel.stateChanged.subscribe((state) => {
      if (state === 'open') this.#opened()
      if (state === 'closed') this.#isClosed = true
    })
    if (this.#isClosed) channel.close()
    else if (channel.readyState === 'open') this.#opened()
  }

  send(data: string | Uint8Array): void {
    if (this.#isClosed) return
    const message = typeof data === 'string' ? data : Buffer.from(data)
    if (this.#channel?.readyState === 'open') this.#channel.send(message)
    else this.#unsent.push(message)
  }

  onMessage(listener: (data: string | Uint8Array) => void): void {
    this.#onMessage.push(listener)
  }

  close(): void {
    if (this.#channel?.readyState === 'open') this.#channel.close()
    this.#isClosed = true
  }

  #opened(): void {
    for (const message of this.#unsent.splice(0)) this.#channel!.send(message)
  }
}
