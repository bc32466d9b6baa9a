/**
 * The plainest way from an event to its followers: one statement for each event, an acknowledgement, and a write to each
 * stream of the bot that is open here. A follower that was away has lost what it missed.
 */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { WebSocketServer } from 'ws'

const { BENCH_DATABASE: connectionString, BENCH_PORT: port } = process.env
const pool = new pg.Pool({ connectionString, max: 12 })
const streams = new Map<string, Set<ServerResponse>>()
const http = createServer((request, response) => {
  const bot = request.url!.split('/')[3]!
  response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
  streams.set(bot, (streams.get(bot) ?? new Set()).add(response))
})
const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, clientTracking: false })

http.on('upgrade', (request, socket, head) =>
  sockets.handleUpgrade(request, socket, head, (link) =>
    link.on('message', async (data) => {
      const message = JSON.parse(String(data))
      if (message.type === 'hello') link.send(JSON.stringify({ type: 'welcome', acknowledged: 0 }))
      if (message.type !== 'event') return
      const { bot_id: bot, seq, at, event } = message
      await pool.query({
        name: 'store',
        text: `insert into bot_events (bot_id, journal_id, seq, attempt, type, at, event)
          values ($1, $1, $2, 1, 'transcript', $3, $4::jsonb)`,
        values: [bot, seq, at, JSON.stringify(event)],
      })
      link.send(JSON.stringify({ type: 'ack', seq }))
      const { type, ...rest } = event
      const text = `id: ${seq}\ndata: ${JSON.stringify({ at, attempt: 1, type, data: rest })}\n\n`
      for (const stream of streams.get(bot) ?? []) stream.write(text)
    }),
  ),
)
http.listen({ port: Number(port), host: '127.0.0.1' }, () =>
  process.send!({ port: (http.address() as AddressInfo).port }),
)
process.on('disconnect', () => process.exit())
