/** A control plane that can be made to misbehave; it keeps what it is sent, as a bad one would. */
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:http'
import { type UpMessage, upMessageSchema } from '@standin/wire/control-link.ts'
import type { NumberedEvent } from '@standin/wire/events.ts'
import { onTestFinished } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { freePort } from '../../servers/free-port.ts'

interface Link {
  socket: WebSocket
  number: number
  /** Everything the bot said on this link. */
  said: UpMessage[]
  send(message: unknown): void
}

type Said<T extends UpMessage['type']> = Extract<UpMessage, { type: T }>

export interface ScriptedPlane {
  url: string
  port: number
  links: Link[]
  requests: IncomingMessage[]
  /** Messages of the bot that do not fit the protocol; must stay empty. */
  misfits: unknown[]
  /** Events in the order in which they were taken, each number once. */
  stored: NumberedEvent[]
  answers: Said<'answer'>[]
  onHello: (link: Link, hello: Said<'hello'>) => void
  onEvent: (link: Link, event: NumberedEvent) => void
  onAnswer: (link: Link, answer: Said<'answer'>) => void
  /** Answers the request for a WebSocket; false lets it become one. */
  refuse: (request: IncomingMessage) => string | false
  /** Stores an event if it is the next one. */
  store(event: NumberedEvent): void
  said<T extends UpMessage['type']>(type: T): Said<T>[]
  stop(): Promise<void>
}

export async function startScriptedPlane(port?: number): Promise<ScriptedPlane> {
  const plane: ScriptedPlane = {
    url: '',
    port: 0,
    links: [],
    requests: [],
    misfits: [],
    stored: [],
    answers: [],
    onHello: (link) => link.send({ type: 'welcome', acknowledged: plane.stored.length }),
    onEvent: (link, event) => {
      plane.store(event)
      link.send({ type: 'ack', seq: event.seq })
    },
    onAnswer: () => {},
    refuse: () => false,
    store(event) {
      if (event.seq === plane.stored.length + 1) plane.stored.push(event)
      else if (event.seq > plane.stored.length) plane.misfits.push({ gap: event.seq, stored: plane.stored.length })
    },
    said: (type) =>
      plane.links.flatMap((link) => link.said).filter((message): message is Said<typeof type> => message.type === type),
    async stop() {
      for (const link of plane.links) link.socket.terminate()
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
  const http = createServer()
  const sockets = new WebSocketServer({ noServer: true })
  http.on('upgrade', (request, socket, head) => {
    plane.requests.push(request)
    socket.on('error', () => {})
    const refusal = plane.refuse(request)
    if (refusal !== false) socket.end(refusal)
    else sockets.handleUpgrade(request, socket, head, takeLink)
  })
  function takeLink(socket: WebSocket) {
    const send = (message: unknown) => socket.send(typeof message === 'string' ? message : JSON.stringify(message))
    const link: Link = { socket, number: plane.links.length, said: [], send }
    plane.links.push(link)
    socket.on('error', () => {})
    socket.on('message', (data) => {
      const message = upMessageSchema.safeParse(JSON.parse(String(data)))
      if (!message.success) {
        plane.misfits.push(message.error.issues)
        return
      }
      link.said.push(message.data)
      if (message.data.type === 'hello') plane.onHello(link, message.data)
      if (message.data.type === 'event') plane.onEvent(link, message.data)
      if (message.data.type === 'answer') {
        plane.answers.push(message.data)
        plane.onAnswer(link, message.data)
      }
    })
  }
  plane.port = port ?? (await freePort())
  await new Promise<void>((resolve) => http.listen(plane.port, '127.0.0.1', resolve))
  onTestFinished(() => plane.stop())
  plane.url = `ws://127.0.0.1:${plane.port}/`
  return plane
}
