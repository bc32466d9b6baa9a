// A small control plane: takes the control links of bots, stores their events, and passes commands on.
// It is an example to start from, and the one that Standin's own tests run. docs/control-link.md explains the exchange.
//
//   CONTROL_PLANE_TOKEN=secret node control-plane.mjs --port 8080 --folder ./events
//
//   ws://127.0.0.1:8080/                     bots connect here
//   GET  /bots                               every bot that connected since the start
//   GET  /bots/<bot_id>                      its status, its last heartbeat, whether it is connected
//   GET  /bots/<bot_id>/events               its events, one JSON document per line
//   POST /bots/<bot_id>/commands             {"type": "send_chat", "message": "Hello"} → the bot's answer
//
// Bots and people send the same token: Authorization: Bearer secret

import { createHash, randomUUID, timingSafeEqual } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { WebSocketServer } from 'ws'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const MAX_FRAME_BYTES = 16 * 1024 * 1024
const MAX_BODY_BYTES = 64 * 1024
const ANSWER_WITHIN_MS = 90_000

export async function startControlPlane({ host = '127.0.0.1', port = 0, token, folder }) {
  if (!token) throw new Error('A control plane without a token would admit every client')
  const bots = new Map()

  const http = createServer((request, response) => {
    answerHttp(request).then(
      ({ status, body }) => response.writeHead(status, { 'content-type': 'application/json' }).end(body),
      (error) => response.writeHead(error.status ?? 500).end(JSON.stringify({ error: error.message })),
    )
  })
  const links = new WebSocketServer({ noServer: true, maxPayload: MAX_FRAME_BYTES })
  http.on('upgrade', (request, socket, head) => {
    socket.on('error', () => {})
    if (isAllowed(request)) links.handleUpgrade(request, socket, head, takeLink)
    else socket.end('HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n')
  })
  await new Promise((resolve, reject) => http.once('error', reject).listen(port, host, resolve))
  const address = `${host}:${http.address().port}`

  /** One link of one bot. The first message has to be hello. */
  function takeLink(link) {
    let bot = null
    link.on('error', () => {})
    link.on('message', (data) => {
      try {
        const message = JSON.parse(String(data))
        if (bot === null) bot = takeHello(link, message)
        else if (bot.link === link) takeMessage(bot, message)
      } catch (error) {
        link.close(1002, error.message.slice(0, 100))
      }
    })
    link.on('close', () => {
      if (bot?.link === link) bot.link = null
    })
  }

  function takeHello(link, { type, protocol_version: version, bot_id: id, journal_id: journalId }) {
    if (type !== 'hello' || version !== 1) throw new Error('expected hello of protocol version 1')
    // The ids become names of files, so they must be nothing but ids.
    if (!UUID.test(id) || !UUID.test(journalId)) throw new Error('bot_id and journal_id have to be UUIDs')
    const bot = bots.get(id) ?? { id, link: null, status: null, heartbeat: null, commands: new Map() }
    bots.set(id, bot)
    bot.link?.terminate() // A bot has one link; an older one is closed here, even if it has not failed yet.
    bot.link = link
    // Numbers count within one journal: each journal gets its own file.
    mkdirSync(join(folder, id), { recursive: true })
    bot.file = join(folder, id, `${journalId}.jsonl`)
    bot.stored = countEvents(bot.file)
    link.send(JSON.stringify({ type: 'welcome', acknowledged: bot.stored }))
    // Commands that came while the link was down, or were not answered, are sent again under the same id.
    for (const command of bot.commands.values()) link.send(command.text)
    return bot
  }

  function takeMessage(bot, message) {
    if (message.type === 'event') {
      if (message.seq > bot.stored + 1) throw new Error(`expected event ${bot.stored + 1}`)
      // An event that is stored already is acknowledged again and not stored again.
      if (message.seq === bot.stored + 1) {
        // Some readers of lines also end a line at these two characters.
        const line = JSON.stringify(message).replace(
          /[\u2028\u2029]/g,
          (mark) => `\\u${mark.charCodeAt(0).toString(16)}`,
        )
        appendFileSync(bot.file, `${line}\n`)
        bot.stored = message.seq
        if (message.event.type === 'status_change') bot.status = message.event.status
      }
      bot.link.send(JSON.stringify({ type: 'ack', seq: bot.stored }))
    } else if (message.type === 'answer') {
      bot.commands.get(message.id)?.answered(message)
    } else if (message.type === 'heartbeat') {
      bot.heartbeat = message
    }
  }

  async function answerHttp(request) {
    if (!isAllowed(request)) throw refusal(401, 'the token is missing or wrong')
    const [, top, id, what] = new URL(request.url, 'http://control-plane').pathname.split('/')
    const bot = bots.get(id)
    const route = `${request.method} ${top}${id ? '/id' : ''}${what ? `/${what}` : ''}`
    if (route === 'GET bots') return json(200, [...bots.values()].map(summary))
    if (!bot) throw refusal(404, 'no such bot')
    if (route === 'GET bots/id') return json(200, summary(bot))
    if (route === 'GET bots/id/events')
      return { status: 200, body: existsSync(bot.file) ? readFileSync(bot.file, 'utf8') : '' }
    if (route === 'POST bots/id/commands') return json(200, await ask(bot, await readJson(request)))
    throw refusal(404, 'no such address')
  }

  /** Resolves with the bot's answer, however often the link breaks before it comes. */
  async function ask(bot, command) {
    const id = randomUUID()
    const text = JSON.stringify({ type: 'command', id, command })
    const { promise, resolve, reject } = Promise.withResolvers()
    const timer = setTimeout(() => reject(refusal(504, 'the bot did not answer')), ANSWER_WITHIN_MS)
    bot.commands.set(id, { text, answered: resolve })
    bot.link?.send(text)
    return promise.finally(() => {
      clearTimeout(timer)
      bot.commands.delete(id)
    })
  }

  function isAllowed(request) {
    const digest = (text) => createHash('sha256').update(text).digest()
    return timingSafeEqual(digest(request.headers.authorization ?? ''), digest(`Bearer ${token}`))
  }

  async function close() {
    for (const link of links.clients) link.terminate()
    http.closeAllConnections()
    await new Promise((resolve) => http.close(resolve))
  }

  return { url: `ws://${address}/`, api: `http://${address}`, close }
}

/** Counts the whole lines of a file. Cuts off an incomplete last line of a killed program; it was never acknowledged. */
function countEvents(file) {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  if (whole !== text) writeFileSync(file, whole)
  return whole.split('\n').length - 1
}

function summary({ id, link, status, stored, heartbeat }) {
  return { bot_id: id, is_connected: link !== null, status, stored_events: stored, heartbeat }
}

async function readJson(request) {
  let body = ''
  for await (const chunk of request.setEncoding('utf8')) {
    body += chunk
    if (body.length > MAX_BODY_BYTES) throw refusal(413, 'too large')
  }
  try {
    return JSON.parse(body)
  } catch {
    throw refusal(400, 'the body is not JSON')
  }
}

const json = (status, content) => ({ status, body: JSON.stringify(content) })
const refusal = (status, message) => Object.assign(new Error(message), { status })

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      host: { type: 'string', default: '127.0.0.1' },
      port: { type: 'string', default: '8080' },
      folder: { type: 'string', default: 'control-plane-events' },
    },
  })
  const { host, folder } = values
  const token = process.env.CONTROL_PLANE_TOKEN
  if (!token) stop('Set CONTROL_PLANE_TOKEN to a secret that bots and callers send', 2)
  const plane = await startControlPlane({ host, port: Number(values.port), folder, token }).catch((error) =>
    stop(error.message, 1),
  )
  console.log(`listening on ${plane.url}`)
}

function stop(sentence, exitCode) {
  console.error(sentence)
  process.exit(exitCode)
}
