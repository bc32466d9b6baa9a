/** The server of the control link as a process of its own; `plain`: the least that could hold the same links. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'
import { createLinkServer } from '../../control-plane/links/link-server.ts'
import { openDatabase } from '../../control-plane/store/database.ts'

const { BENCH_DATABASE: url, BENCH_KIND: kind, BENCH_PORT: port } = process.env
const http = createServer()

if (kind === 'plain') {
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false })
  http.on('upgrade', (request, socket, head) =>
    sockets.handleUpgrade(request, socket, head, (link) =>
      link.on('message', (data) => {
        const message = JSON.parse(String(data))
        if (message.type === 'hello') link.send(JSON.stringify({ type: 'welcome', acknowledged: 0 }))
        else if (message.type === 'event') link.send(JSON.stringify({ type: 'ack', seq: message.seq }))
      }),
    ),
  )
} else {
  const links = createLinkServer({
    database: openDatabase({ url: url!, role: 'links', connections: 4 }),
    clock: Date,
    log: { info() {}, warn: (fields, message) => console.error(message, fields), error: console.error },
  })
  http.on('upgrade', (request, socket, head) => links.handleUpgrade(request, socket, head))
}

http.listen({ port: Number(port ?? 0), host: '127.0.0.1', backlog: 4096 }, () => {
  process.send!({ port: (http.address() as AddressInfo).port })
})
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send!({ cpuSeconds: (user + system) / 1e6, rssMegabytes: process.memoryUsage.rss() / 1024 ** 2 })
})
process.on('disconnect', () => process.exit())
