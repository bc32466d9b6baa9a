// A live interpreter: what people say is said again in another language, by OpenAI's translation of live speech.
//
//   OPENAI_API_KEY=… node interpreter.mjs --language de --port 9000
//   standin join <meeting link> --stream-output ws://127.0.0.1:9000 --stream-input ws://127.0.0.1:9000
//
// The bot sends and plays 24 kHz, as the service does (docs/streaming.md); it never gets its own voice, so nothing is
// translated twice. Protocol: OpenAI's guide "Realtime translation".

import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { WebSocket, WebSocketServer } from 'ws'

const RATE = 24_000
/** The service translates pieces of this length, and wants silence too. Milliseconds. */
const PIECE_MS = 200
const PIECE = (RATE * PIECE_MS * 2) / 1000
const SERVICE = 'wss://api.openai.com/v1/realtime/translations?model=gpt-realtime-translate'

export async function startInterpreter({ key, language, service = SERVICE, port = 0, print = console.log }) {
  const server = new WebSocketServer({ host: '127.0.0.1', port })
  await new Promise((resolve, reject) => server.once('listening', resolve).once('error', reject))

  server.on('connection', (bot) => {
    const translation = new WebSocket(service, { headers: { authorization: `Bearer ${key}` } })
    const send = (message) => translation.readyState === WebSocket.OPEN && translation.send(JSON.stringify(message))
    let heard = Buffer.alloc(0)
    let said = ''
    let sentAt = Date.now()
    const pass = (piece) => {
      sentAt = Date.now()
      send({ type: 'session.input_audio_buffer.append', audio: piece.toString('base64') })
    }
    translation.on('open', () => send({ type: 'session.update', session: { audio: { output: { language } } } }))
    translation.on('message', (data) => {
      const event = JSON.parse(String(data))
      if (event.type === 'session.output_audio.delta') bot.send(Buffer.from(event.delta, 'base64'))
      if (event.type === 'error') print(`The service says: ${event.error?.message}`)
      if (event.type !== 'session.output_transcript.delta') return
      said += event.delta
      const sentences = said.split(/(?<=[.!?。！？])\s*/)
      said = sentences.pop()
      for (const sentence of sentences) print(sentence)
    })
    translation.on('error', (error) => print(`The service cannot be reached: ${error.message}`))
    // The bot comes back, and gets a new session.
    translation.on('close', () => bot.close())

    bot.on('message', (data, isBinary) => {
      if (!isBinary) {
        const { sample_rate: rate = RATE } = JSON.parse(String(data))
        if (rate !== RATE) print(`The bot sends ${rate} Hz; start it with an audio frequency of ${RATE}`)
        return
      }
      heard = Buffer.concat([heard, data])
      for (; heard.length >= PIECE; heard = heard.subarray(PIECE)) pass(heard.subarray(0, PIECE))
    })
    const timer = setInterval(() => {
      if (Date.now() - sentAt > 2 * PIECE_MS) pass(Buffer.alloc(PIECE))
    }, PIECE_MS)
    bot.on('error', () => {})
    bot.on('close', () => {
      clearInterval(timer)
      send({ type: 'session.close' })
      translation.close()
      if (said !== '') print(said)
    })
  })

  return {
    url: `ws://127.0.0.1:${server.address().port}`,
    close() {
      for (const client of server.clients) client.terminate()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}

// `import.meta.main` would need Node 24.
if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: { port: { type: 'string', default: '9000' }, language: { type: 'string' } },
  })
  const { OPENAI_API_KEY: key } = process.env
  if (!key || !values.language) {
    console.error('usage: OPENAI_API_KEY=… node interpreter.mjs --language <code> [--port <port>]')
    process.exit(2)
  }
  const interpreter = await startInterpreter({ key, language: values.language, port: Number(values.port) }).catch(
    (error) => {
      console.error(error.message)
      process.exit(1)
    },
  )
  console.log(`Listening at ${interpreter.url}`)
}
