import type { RTCDataChannel } from 'werift'

/** A data channel as the mock servers use it. */
export interface DataChannelLike {
  readonly label: string
  readonly isOpen: boolean
  /** Strings go as text, bytes as binary; kept until the channel opens, dropped after it closed. */
  send(data: string | Uint8Array): void
  onMessage(listener: (data: string | Uint8Array) => void): void
  /** Called at once when the channel is open already. */
  onOpen(listener: () => void): void
  onClose(listener: () => void): void
  close(): void
}

export class MediaDataChannel implements DataChannelLike {
  readonly label: string
  #channel: RTCDataChannel | null = null
  #isClosed = false
  readonly #unsent: (string | Buffer)[] = []
  readonly #onMessage: ((data: string | Uint8Array) => void)[] = []
  readonly #onOpen: (() => void)[] = []
  readonly #onClose: (() => void)[] = []

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
      if (state === 'closed') this.#closed()
    })
    if (this.#isClosed) channel.close()
    else if (channel.readyState === 'open') this.#opened()
  }

  get isOpen(): boolean {
    return !this.#isClosed && this.#channel?.readyState === 'open'
  }

  send(data: string | Uint8Array): void {
    if (this.#isClosed) return
    const message = typeof data === 'string' ? data : Buffer.from(data)
    if (this.isOpen) this.#channel!.send(message)
    else this.#unsent.push(message)
  }

  onMessage(listener: (data: string | Uint8Array) => void): void {
    this.#onMessage.push(listener)
  }

  onOpen(listener: () => void): void {
    this.#onOpen.push(listener)
    if (this.isOpen) listener()
  }

  onClose(listener: () => void): void {
    this.#onClose.push(listener)
  }

  close(): void {
    if (this.#channel?.readyState === 'open') this.#channel.close()
    this.#closed()
  }

  #opened(): void {
    for (const message of this.#unsent.splice(0)) this.#channel!.send(message)
    for (const listener of this.#onOpen) listener()
  }

  #closed(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    for (const listener of this.#onClose) listener()
  }
}
