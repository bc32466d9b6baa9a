/**
 * The plainest way from an event to a webhook: one statement for each event, an acknowledgement after it, one request.
 * Nothing is sent again, signed, or kept in order.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { WebSocketServer } from 'ws'

const { BENCH_DATABASE: connectionString, BENCH_RECEIVER: receiver, BENCH_PORT: port, BENCH_TEAM: teamId } = process.env
const pool = new pg.Pool({ connectionString, max: 12 })
const http = createServer()
const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, clientTracking: false })

async function store(message: { bot_id: string; seq: number; at: string; event: { status: string } }): Promise<string> {
  const body = JSON.stringify({
    event: 'bot.status_change',
    data: { bot_id: message.bot_id, event_id: null, status: { code: message.event.status, created_at: message.at } },
    extra: null,
  })
  await pool.query({
    name: 'store',
    text: `
      with event as (
        insert into bot_events (bot_id, journal_id, seq, attempt, type, at, event)
        values ($1, $1, $2, 1, 'status_change', $3, $4::jsonb)
      ), bot as (
        update bots set status = $5, version = version + 1, updated_at = now() where id = $1
      )
      insert into messages (id, team_id, bot_id, event, ordering_key, body, generation)
      values ('msg_' || $1::text || $2::text, $6, $1, 'bot.status_change', $1::text, $7::jsonb, 'webhooks')`,
    values: [
      message.bot_id,
      message.seq,
      message.at,
      JSON.stringify(message.event),
      message.event.status,
      teamId,
      body,
    ],
  })
  return body
}

http.on('upgrade', (request, socket, head) =>
  sockets.handleUpgrade(request, socket, head, (link) =>
    link.on('message', async (data) => {
      const message = JSON.parse(String(data))
      if (message.type === 'hello') link.send(JSON.stringify({ type: 'welcome', acknowledged: 0 }))
      if (message.type !== 'event') return
      const body = await store(message)
      link.send(JSON.stringify({ type: 'ack', seq: message.seq }))
      const headers = { 'content-type': 'application/json', 'webhook-id': `${message.bot_id}${message.seq}` }
      await (await fetch(receiver!, { method: 'POST', headers, body })).arrayBuffer()
    }),
  ),
)
http.listen({ port: Number(port), host: '127.0.0.1' }, () =>
  process.send!({ port: (http.address() as AddressInfo).port }),
)
process.on('disconnect', () => process.exit())
