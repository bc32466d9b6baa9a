/** The role `launcher` as a separate process, with a launcher that only records when each bot was started. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openFileStore } from '../../control-plane/files/open-file-store.ts'
import { startLaunching } from '../../control-plane/launching/index.ts'
import type { Launcher } from '../../control-plane/platform/ports.ts'
import { createSeals, parseSealKeys } from '../../control-plane/platform/secrets/seals.ts'
import { openDatabase } from '../../control-plane/store/database.ts'

const { BENCH_DATABASE: databaseUrl, BENCH_FOLDER: folder } = process.env
/** As many as the service gives this role. */
const CONNECTIONS = 10
const log = { info() {}, warn: report, error: report }
/** UTC milliseconds, by bot. */
const started = new Map<string, number>()

const launcher: Launcher = {
  kind: 'simulated',
  async start({ botId, attempt }) {
    started.set(botId, Date.now())
    return { name: `${botId}-${attempt}` }
  },
  async stop() {},
  async kill() {},
  inspect: async () => ({ state: 'running' }),
  list: async () => [],
  async clean() {},
  capacity: async () => null,
}

startLaunching({
  database: openDatabase({ url: databaseUrl!, role: 'launcher', connections: CONNECTIONS, onError: () => {} }),
  databaseUrl: databaseUrl!,
  launcher,
  files: (
    await openFileStore(
      { type: 'folder', path: join(folder!, 'recordings') },
      { secret: Buffer.alloc(32), publicUrl: 'http://127.0.0.1', now: Date.now },
    )
  ).store,
  seals: createSeals(parseSealKeys(readFileSync(join(folder!, 'secret-keys'), 'utf8').trim())),
  grants: { fetch: async () => Promise.reject(new Error('No bot names a credential')) },
  resumesBots: false,
  joinParts: async () => ({ files: [] }),
  recover: async () => ({ files: [], problems: [] }),
  log,
  linkUrl: 'ws://127.0.0.1/link',
})

function report(fields: object, message: string): void {
  process.stderr.write(`${message} ${JSON.stringify(fields)}\n`)
}

process.send!({ port: 0 })
process.on('message', (what) => {
  if (what === 'count') process.send!(started.size)
  else process.send!([...started.values()])
  if (what === 'take') started.clear()
})
process.on('disconnect', () => process.exit())
