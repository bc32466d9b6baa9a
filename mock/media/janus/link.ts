/** Janus's own protocol: JSON over a WebSocket, requests that are answered by their transaction. */
import { randomBytes } from 'node:crypto'
import { WebSocket } from 'ws'

export interface Description {
  type: 'offer' | 'answer'
  sdp: string
}

/** The fields that we read of the video room plugin's answers. */
interface RoomWord {
  videoroom?: string
  error?: string
  room?: number
  id?: number
  streams?: { mid?: string; type?: string; feed_id?: number; feed_mid?: string }[]
}

export interface Answer {
  data: RoomWord
  description: Description | null
}

interface Message {
  janus: string
  transaction?: string
  sender?: number
  data?: { id: number }
  error?: { reason: string }
  plugindata?: { data: RoomWord }
  jsep?: Description
}

const ANSWER_DEADLINE_MS = 20_000
/** Janus ends a session without messages after a minute. */
const KEEP_ALIVE_MS = 20_000

export class JanusLink {
  private readonly socket: WebSocket
  private session = 0
  private readonly waiting = new Map<string, (message: Message) => void>()
  private readonly handles = new Map<number, RoomHandle>()
  private readonly keepAlive: NodeJS.Timeout

  private constructor(socket: WebSocket) {
    this.socket = socket
    socket.on('message', (text) => this.onMessage(JSON.parse(String(text)) as Message))
    this.keepAlive = setInterval(() => this.say({ janus: 'keepalive' }), KEEP_ALIVE_MS).unref()
    socket.on('close', () => {
      clearInterval(this.keepAlive)
      for (const [, settle] of [...this.waiting]) settle({ janus: 'error', error: { reason: 'the link was closed' } })
    })
  }

  /** Rejects if no server listens at the address. */
  static async open(address: string): Promise<JanusLink> {
    const socket = new WebSocket(address, 'janus-protocol')
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve)
      socket.once('error', reject)
    })
    socket.on('error', () => {}) // A close event follows.
    const link = new JanusLink(socket)
    const { data } = await link.ask({ janus: 'create' })
    link.session = data?.id ?? 0
    return link
  }

  /** A handle of the video room plugin: one peer connection's worth. */
  async attach(): Promise<RoomHandle> {
    const { data } = await this.ask({ janus: 'attach', plugin: 'janus.plugin.videoroom' })
    const handle = new RoomHandle(this, data?.id ?? 0)
    this.handles.set(data?.id ?? 0, handle)
    return handle
  }

  async close(): Promise<void> {
    if (this.socket.readyState >= WebSocket.CLOSING) return
    const closed = new Promise((resolve) => this.socket.once('close', resolve))
    this.say({ janus: 'destroy' })
    this.socket.close()
    await closed
  }

  /** Rejects with Janus's reason. */
  async ask(request: { janus: string } & Record<string, unknown>): Promise<Message> {
    const transaction = randomBytes(9).toString('base64url')
    const answer = await new Promise<Message>((resolve) => {
      const timer = setTimeout(() => {
        settle({ janus: 'error', error: { reason: `no answer in ${ANSWER_DEADLINE_MS / 1000} s` } })
      }, ANSWER_DEADLINE_MS)
      timer.unref()
      const settle = (message: Message) => {
        clearTimeout(timer)
        this.waiting.delete(transaction)
        resolve(message)
      }
      this.waiting.set(transaction, settle)
      this.say({ ...request, transaction })
    })
    if (answer.janus === 'error') throw new Error(`Janus refused ${request.janus}: ${answer.error?.reason}`)
    return answer
  }

  private say(message: Record<string, unknown>): void {
    if (this.socket.readyState !== WebSocket.OPEN) return
    const transaction = message.transaction ?? randomBytes(9).toString('base64url')
    this.socket.send(JSON.stringify({ ...message, transaction, ...(this.session && { session_id: this.session }) }))
  }
  private onMessage(message: Message): void {
    // A plugin needs time: after the acknowledgment, its answer comes in an event.
    if (message.janus !== 'ack') this.waiting.get(message.transaction ?? '')?.(message)
    if (message.janus === 'webrtcup') this.handles.get(message.sender ?? 0)?.isUp.resolve()
  }
}

export class RoomHandle {
  /** Resolved once media can flow both ways. */
  readonly isUp = Promise.withResolvers<void>()
  private readonly link: JanusLink
  private readonly id: number

  constructor(link: JanusLink, id: number) {
    this.link = link
    this.id = id
  }

  /** Rejects with the plugin's reason. */
  async ask(body: { request: string } & Record<string, unknown>, description?: Description): Promise<Answer> {
    const message = await this.link.ask({
      janus: 'message',
      handle_id: this.id,
      body,
      ...(description && { jsep: description }),
    })
    const data = message.plugindata?.data ?? {}
    if (data.error !== undefined) throw new Error(`Janus's video room refused ${body.request}: ${data.error}`)
    return { data, description: message.jsep ?? null }
  }

  /** Best effort: a server that is gone has forgotten it anyway. */
  async detach(): Promise<void> {
    await this.link.ask({ janus: 'detach', handle_id: this.id }).catch(() => {})
  }
}
