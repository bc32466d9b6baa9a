// Receives the webhooks of Standin: checks each signature, drops repetitions, prints each message.
//   WEBHOOK_SECRET=whsec_… node docs/examples/webhook-receiver.mjs 9000
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const key = Buffer.from((process.env.WEBHOOK_SECRET ?? '').replace(/^whsec_/, ''), 'base64')
if (key.length === 0) stop('Set WEBHOOK_SECRET to the secret of the endpoint, which begins with whsec_', 2)
const seen = new Set() // In a real receiver: a table with a unique column.

const server = createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const body = Buffer.concat(chunks).toString('utf8')
  if (!isGenuine(request.headers, body)) {
    console.error(
      `Refused ${request.headers['webhook-id'] ?? 'a request without webhook-id'}: wrong secret, or too old`,
    )
    return response.writeHead(401).end()
  }
  response.writeHead(204).end() // Answer first, then process: an attempt may take 30 seconds at most.
  const id = request.headers['webhook-id']
  if (seen.has(id)) return
  seen.add(id)
  const { event, data } = JSON.parse(body)
  const news = { 'bot.status_change': data.status?.code, 'bot.completed': data.video, 'bot.failed': data.error_code }
  console.log(event, data.bot_id, news[event] ?? '')
})
server.on('error', (error) => stop(error.message, 1))
server.listen(Number(process.argv[2] ?? 9000), '127.0.0.1', () => {
  console.log(`Listening on http://127.0.0.1:${server.address().port}`)
})

function stop(sentence, exitCode) {
  console.error(sentence)
  process.exit(exitCode)
}

function isGenuine(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signatures = '' } = headers
  if (!(Math.abs(Date.now() / 1000 - Number(time)) < 300)) return false
  const expected = createHmac('sha256', key).update(`${id}.${time}.${body}`).digest()
  // Several signatures while a secret is being rotated.
  const given = signatures.split(' ').map((one) => Buffer.from(one.replace(/^v1,/, ''), 'base64'))
  return given.some((one) => one.length === expected.length && timingSafeEqual(one, expected))
}
