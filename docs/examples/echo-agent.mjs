// A minimal agent for both directions: it receives the meeting's audio and sends it back a second later.
//
//   node echo-agent.mjs --port 9000
//   standin join <meeting link> --stream-output ws://127.0.0.1:9000 --stream-input ws://127.0.0.1:9000
//
// docs/streaming.md explains the messages. To interrupt the bot, send `socket.send('{"type":"clear"}')`.

import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { WebSocketServer } from 'ws'

const DELAY_MS = 1000

export async function startEchoAgent({ host = '127.0.0.1', port = 0, print = console.log }) {
  const server = new WebSocketServer({ host, port })
  await new Promise((resolve, reject) => server.once('listening', resolve).once('error', reject))
  const heard = { seconds: 0, speakers: [] }

  server.on('connection', (socket) => {
    let rate = 24_000
    socket.on('message', (data, isBinary) => {
      if (isBinary) {
        heard.seconds += data.length / 2 / rate
        // The bot does not receive its own voice, so this makes no loop.
        if (isAudible(data)) setTimeout(() => socket.send(data), DELAY_MS)
        return
      }
      const message = JSON.parse(String(data))
      if (Array.isArray(message)) {
        for (const { name, isSpeaking } of message) {
          heard.speakers.push(name)
          print(`${name} ${isSpeaking ? 'speaks' : 'stops'}`)
        }
      } else {
        rate = message.sample_rate
        print(`Bot ${message.bot_id} is here, ${rate} samples a second`)
      }
    })
    socket.on('error', () => {})
    socket.on('close', () => print(`The bot left after ${heard.seconds.toFixed(1)} s of sound`))
  })

  return {
    url: `ws://${host}:${server.address().port}`,
    heard,
    close() {
      for (const client of server.clients) client.terminate()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Signed 16 bit samples, little-endian. */
function isAudible(data) {
  for (let at = 0; at + 1 < data.length; at += 2) if (Math.abs(data.readInt16LE(at)) > 300) return true
  return false
}

// `import.meta.main` would need Node 24.
if (realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { port: { type: 'string', default: '9000' } } })
  const agent = await startEchoAgent({ port: Number(values.port) }).catch((error) => {
    console.error(error.message)
    process.exit(1)
  })
  console.log(`Listening at ${agent.url}`)
}
