/** Starts a Janus media server on the loopback interface, with the video room plugin and nothing else. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { CHILD_PATH } from '@standin/base/child-path.ts'
import { type Supervised, supervise } from '../../../core/process/supervised.ts'
import { JanusLink } from './link.ts'

/** The processes of a busy test machine take their time. */
const READY_DEADLINE_MS = 30_000
const READY_CHECK_MS = 50

/** Where the kernel's own ports begin on Linux; media stays below, so that no other program's port is taken. */
const MEDIA_PORTS = '20000-32000'

const UNUSED_PLUGINS = [
  'audiobridge',
  'duktape',
  'echotest',
  'lua',
  'nosip',
  'recordplay',
  'sip',
  'streaming',
  'textroom',
]
  .concat(['videocall', 'voicemail'])
  .map((name) => `libjanus_${name}.so`)
const UNUSED_TRANSPORTS = ['http', 'mqtt', 'nanomsg', 'pfunix', 'rabbitmq'].map((name) => `libjanus_${name}.so`)

export class JanusServer {
  private readonly process: Supervised
  private readonly folder: string
  private readonly address: string

  private constructor(process: Supervised, folder: string, address: string) {
    this.process = process
    this.folder = folder
    this.address = address
  }

  /** Rejects where Janus is not installed (Debian's package `janus`) or does not start. */
  static async start(): Promise<JanusServer> {
    const folder = await mkdtemp(join(tmpdir(), 'mock-janus-'))
    try {
      const port = await freePort()
      await writeConfiguration(folder, port)
      const address = `ws://127.0.0.1:${port}`
      const process = await supervise({
        name: 'Janus media server',
        command: 'janus',
        // Its configuration folder; no colors in what it says.
        args: ['--configs-folder', folder, '--disable-colors'],
        env: { PATH: CHILD_PATH },
        ready: () => answers(address),
        readyDeadlineMs: READY_DEADLINE_MS,
      })
      return new JanusServer(process, folder, address)
    } catch (error) {
      await rm(folder, { recursive: true, force: true })
      throw error
    }
  }

  connect(): Promise<JanusLink> {
    return JanusLink.open(this.address)
  }

  /** Repeatable. */
  async stop(): Promise<void> {
    await this.process.stop()
    await rm(this.folder, { recursive: true, force: true })
  }
}

async function writeConfiguration(folder: string, port: number): Promise<void> {
  const files: Record<string, string> = {
    'janus.jcfg': `general: { configs_folder = "${folder}", debug_level = 3 }
nat: { ice_lite = true, full_trickle = false }
media: { rtp_port_range = "${MEDIA_PORTS}", ipv6 = false }
plugins: { disable = "${UNUSED_PLUGINS.join(',')}" }
transports: { disable = "${UNUSED_TRANSPORTS.join(',')}" }
events: { broadcast = false }
`,
    'janus.transport.websockets.jcfg': `general: { ws = true, ws_port = ${port}, ws_ip = "127.0.0.1", wss = false }
admin: { admin_ws = false, admin_wss = false }
`,
    'janus.plugin.videoroom.jcfg': 'general: { }\n',
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
}

/** Resolves once it takes connections. */
async function answers(address: string): Promise<void> {
  for (;;) {
    try {
      const link = await JanusLink.open(address)
      await link.close()
      return
    } catch {
      await delay(READY_CHECK_MS) // Not listening yet; the deadline is the caller's.
    }
  }
}

/** A port that is free now. Janus cannot pick one itself. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('The system gave no port')
  return address.port
}
