import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Received } from './violations.ts'

/** A receiver of webhooks about bots, which notes what came in its order. */
export async function startWebhookReceiver(received: Received[]): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      const { event, data } = JSON.parse(text) as {
        event: string
        data: { bot_id: string; events?: { id: string }[] }
      }
      const eventIds = data.events?.map(({ id }) => id) ?? []
      received.push({ id: String(request.headers['webhook-id']), event, botId: data.bot_id, eventIds })
      // The answer may come after its dispatcher was killed.
      setTimeout(() => response.end(), Math.random() < 0.05 ? 300 : 0)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
