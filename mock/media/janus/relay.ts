/**
 * A room's media by way of Janus: every person publishes there, and every page's session receives from there what its
 * lines carry. So all media that a page receives has crossed a real media server.
 */
import type { VideoProgram } from '../encode.ts'
import type { RoomClock } from '../rtp-sender.ts'
import type { VideoSource } from '../slots.ts'
import type { AudioFrame } from '../voice-streams.ts'
import type { JanusLink } from './link.ts'
import { Publisher } from './publisher.ts'
import type { JanusServer } from './server.ts'
import { type RelayedPacket, Subscription } from './subscription.ts'

export interface RelayPlan {
  clock: RoomClock
  /** Share of packets (0 to 1) that never leave their publisher. */
  loss: number
  keyFrameDelayMs: number
  videoProgram(source: VideoSource): VideoProgram | undefined
}

/** Receives the packets for one page. The mix of all voices has the owner null. */
export type Sink = (owner: string | null, relayed: RelayedPacket) => void

const MAX_PUBLISHERS = 100
/** The publisher of the mix, if a platform sends all voices as one. Ids of people are never empty. */
const MIX = ''

export class JanusRelay {
  readonly #plan: RelayPlan
  readonly #opening: Promise<{ link: JanusLink; room: number }>
  readonly #publishers = new Map<string, { opening: Promise<Publisher>; publisher: Publisher | null }>()
  readonly #sinks = new Map<Sink, Map<string, { opening: Promise<Subscription>; subscription: Subscription | null }>>()
  #sources: readonly VideoSource[] = []
  #isClosed = false

  constructor(server: JanusServer, plan: RelayPlan) {
    this.#plan = plan
    this.#opening = openRoom(server)
    this.#opening.catch(() => {}) // `ready` reports the error.
  }

  /** Resolves when every person publishes and every page receives. Rejects with the first failure. */
  async ready(): Promise<void> {
    await this.#opening
    await Promise.all([...this.#publishers.values()].map(({ opening }) => opening))
    await Promise.all([...this.#sinks.values()].flatMap((feeds) => [...feeds.values()].map(({ opening }) => opening)))
  }

  addPerson(id: string): void {
    this.#publish(id)
  }

  addMix(): void {
    this.#publish(MIX)
  }

  removePerson(id: string): void {
    for (const feeds of this.#sinks.values()) {
      void closeOf(feeds.get(id)?.opening)
      feeds.delete(id)
    }
    void closeOf(this.#publishers.get(id)?.opening)
    this.#publishers.delete(id)
  }

  /** Which pictures there are to send now. */
  update(sources: readonly VideoSource[]): void {
    this.#sources = sources
    for (const [id, { publisher }] of this.#publishers) publisher?.update(sourcesOf(id, sources))
  }

  sendAudio(frame: AudioFrame, roomMs: number): void {
    this.#publishers.get(frame.owner ?? MIX)?.publisher?.sendAudio(frame, roomMs)
  }

  sendVideo(tick: number, fps: number, roomMs: number, isAfterGap: boolean): void {
    for (const { publisher } of this.#publishers.values()) publisher?.sendVideo(tick, fps, roomMs, isAfterGap)
  }

  addSink(sink: Sink): void {
    this.#sinks.set(sink, new Map())
    for (const id of this.#publishers.keys()) this.#subscribe(sink, id)
  }

  removeSink(sink: Sink): void {
    for (const { opening } of this.#sinks.get(sink)?.values() ?? []) void closeOf(opening)
    this.#sinks.delete(sink)
  }

  /** On behalf of a page whose decoder waits for one. */
  requestKeyFrame(sink: Sink, { personId, kind }: VideoSource): void {
    this.#sinks.get(sink)?.get(personId)?.subscription?.requestKeyFrame(kind)
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    for (const sink of [...this.#sinks.keys()]) this.removeSink(sink)
    await Promise.all([...this.#publishers.values()].map(({ opening }) => closeOf(opening)))
    await this.#opening.then(({ link }) => link.close()).catch(() => {}) // The link was never opened.
  }

  #publish(id: string): void {
    const { clock, loss, keyFrameDelayMs, videoProgram } = this.#plan
    const opening = this.#opening.then(({ link, room }) =>
      Publisher.publish({ link, room, personId: id || 'mix', clock, loss, keyFrameDelayMs, videoProgram }),
    )
    const entry: { opening: Promise<Publisher>; publisher: Publisher | null } = { opening, publisher: null }
    this.#publishers.set(id, entry)
    opening.then(
      (publisher) => {
        entry.publisher = publisher
        publisher.update(sourcesOf(id, this.#sources))
      },
      () => {}, // `ready` reports the error.
    )
    for (const sink of this.#sinks.keys()) this.#subscribe(sink, id)
  }

  #subscribe(sink: Sink, id: string): void {
    const owner = id === MIX ? null : id
    const published = this.#publishers.get(id)?.opening
    const feeds = this.#sinks.get(sink)
    if (!published || !feeds) return
    const opening = Promise.all([this.#opening, published]).then(([{ link, room }, { feed }]) =>
      Subscription.open(link, room, feed, (relayed) => sink(owner, relayed)),
    )
    const entry: { opening: Promise<Subscription>; subscription: Subscription | null } = { opening, subscription: null }
    feeds.set(id, entry)
    opening.then(
      (subscription) => {
        entry.subscription = subscription
      },
      () => {}, // `ready` reports the error.
    )
  }
}

async function openRoom(server: JanusServer): Promise<{ link: JanusLink; room: number }> {
  const link = await server.connect()
  const handle = await link.attach()
  const { data } = await handle.ask({
    request: 'create',
    publishers: MAX_PUBLISHERS,
    audiocodec: 'opus',
    videocodec: 'vp8',
    audiolevel_ext: true,
  })
  return { link, room: data.room ?? 0 }
}

function sourcesOf(id: string, sources: readonly VideoSource[]): VideoSource[] {
  return sources.filter(({ personId }) => personId === id)
}

/** Best effort: a subscription that never opened needs no close. */
async function closeOf(opening: Promise<{ close(): Promise<void> }> | undefined): Promise<void> {
  await opening?.then((opened) => opened.close()).catch(() => {})
}
