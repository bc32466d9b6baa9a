/** The plainest server of control links: it keeps the last heartbeat of each bot in a map, and stores nothing. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'

const heartbeats = new Map<string, { at: number; cpuPercent: number; memoryBytes: number }>()
const http = createServer()
const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, clientTracking: false })
http.on('upgrade', (request, socket, head) =>
  sockets.handleUpgrade(request, socket, head, (link) => {
    let botId = ''
    link.on('message', (data) => {
      const message = JSON.parse(String(data))
      if (message.type === 'hello') {
        botId = message.bot_id
        link.send(JSON.stringify({ type: 'welcome', acknowledged: 0 }))
      } else
        heartbeats.set(botId, {
          at: Date.now(),
          cpuPercent: message.cpu_percent,
          memoryBytes: message.memory_bytes,
        })
    })
  }),
)
http.listen({ port: Number(process.env.BENCH_PORT), host: '127.0.0.1', backlog: 4096 }, () =>
  process.send!({ port: (http.address() as AddressInfo).port }),
)
process.on('disconnect', () => process.exit())
