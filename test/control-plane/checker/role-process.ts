/** One role of the service as a separate process, which the checker kills. Its settings come in variables. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiDependencies } from '@standin/control-plane/api/dependencies.ts'
import { createReadList } from '@standin/control-plane/api/http/read-list.ts'
import { buildApi } from '@standin/control-plane/api/http/server.ts'
import { EventTail } from '@standin/control-plane/api/v2/bot-events/tail.ts'
import { newerGeneration } from '@standin/control-plane/api/v2/index.ts'
import { createLinkServer } from '@standin/control-plane/control-link/link-server.ts'
import { Registry } from 'prom-client'
import { createArtifactLinks } from '../../../control-plane/files/artifact-links.ts'
import { openFileStore } from '../../../control-plane/files/open-file-store.ts'
import { startLaunching } from '../../../control-plane/launching/index.ts'
import { createGuardedClient } from '../../../control-plane/platform/outgoing/guarded-client.ts'
import { createSeals, parseSealKeys } from '../../../control-plane/platform/secrets/seals.ts'
import { openDatabase } from '../../../control-plane/store/database.ts'
import { isDatabaseLost } from '../../../control-plane/store/lost-database.ts'
import { prepareCallerRole } from '../../../control-plane/store/row-security.ts'
import { listenForWakeUps } from '../../../control-plane/store/wake-ups.ts'
import { startDispatcher } from '../../../control-plane/webhooks/dispatcher.ts'
import { startLiveWebhooks } from '../../../control-plane/webhooks/live.ts'
import { joinVideos } from '../launching/join-videos.ts'
import { createSimulatedLauncher } from '../launching/simulated.ts'

export interface RoleSettings {
  role: 'launcher' | 'links' | 'dispatcher' | 'api'
  databaseUrl: string
  sealKeys: string
  recordings: string
  hostUrl: string
  linkUrl: string
  /** Of the roles `links` and `api`. */
  port: number
  leaseSeconds: number
  /** How far its clock is from the machine's. */
  clockStepMs?: number
}

const settings = JSON.parse(process.env.TEST_ROLE ?? '{}') as RoleSettings
stepsClock(settings.clockStepMs ?? 0)
const log = { info() {}, warn() {}, error() {} }
const database = openDatabase({ url: settings.databaseUrl, role: settings.role, connections: 6, onError: () => {} })
const seals = createSeals(parseSealKeys(settings.sealKeys))
const { store: files } = await openFileStore(
  { type: 'folder', path: settings.recordings },
  { secret: Buffer.alloc(32), publicUrl: 'http://127.0.0.1', now: Date.now },
)

/** Its connection may be cut at the start too; a service that ends for that is started again. */
async function preparedRole() {
  for (;;) {
    const prepared = await prepareCallerRole(database).catch((error) => {
      if (!isDatabaseLost(error)) throw error
      return null
    })
    if (prepared !== null) return prepared.role
    await sleep(100)
  }
}

/** As `main.ts` ends it after SIGTERM. */
let close = async () => {}

switch (settings.role) {
  case 'launcher': {
    const launching = startLaunching({
      database,
      databaseUrl: settings.databaseUrl,
      launcher: createSimulatedLauncher(settings.hostUrl),
      files,
      seals,
      grants: { fetch: async () => Promise.reject(new Error('No bot names a credential')) },
      recover: async () => ({ files: [], problems: [] }),
      joinParts: joinVideos,
      resumesBots: true,
      log,
      linkUrl: settings.linkUrl,
      waitForWelcomeSeconds: 600,
      concurrency: 8,
      leaseSeconds: settings.leaseSeconds,
      reconciler: {
        passMs: 300,
        everyAttemptMs: 1_000,
        orphansMs: 2_000,
        orphanSeconds: 5,
        forgottenSeconds: 10,
        finishLeaseSeconds: 5,
      },
    })
    close = () => launching.close()
    break
  }
  case 'links': {
    const links = createLinkServer({ database, log })
    const server = createServer().on('upgrade', (request, socket, head) => links.handleUpgrade(request, socket, head))
    await once(server.listen(settings.port, '127.0.0.1'), 'listening')
    close = () => links.close()
    break
  }
  case 'dispatcher': {
    const dispatcher = startDispatcher({
      database,
      client: createGuardedClient({ allowPrivate: true }),
      seals,
      links: createArtifactLinks(database, files, 'https://standin.test'),
      clock: Date,
      log,
      delays: [0.1, 0.2, 0.5],
      leaseSeconds: 3,
    })
    const live = startLiveWebhooks(database, log)
    const hints = listenForWakeUps(settings.databaseUrl, 'events', live.wake, () => {})
    close = async () => {
      await Promise.all([hints.close(), live.close(), dispatcher.close()])
    }
    break
  }
  case 'api': {
    const callerRole = await preparedRole()
    const callers = openDatabase({
      ...{ url: settings.databaseUrl, role: 'api', connections: 6, onError: () => {} },
      callerRole,
    })
    const eventTail = new EventTail(database, log)
    const hints = listenForWakeUps(
      settings.databaseUrl,
      'events',
      (ids) => eventTail.wake(ids),
      () => {},
    )
    const app = await buildApi(
      {
        ...{ database: callers, acrossTeams: database, keyDatabase: database, readList: createReadList(callers) },
        ...{ eventTail, seals, log, clock: Date, metrics: new Registry(), probes: {} },
        settings: { publicUrl: 'http://127.0.0.1' },
      } as unknown as ApiDependencies,
      [newerGeneration],
    )
    await app.listen({ host: '127.0.0.1', port: settings.port })
    close = async () => {
      await Promise.all([hints.close(), app.close()])
    }
  }
}
process.once('SIGTERM', () => void close().then(() => process.exit(0)))
process.send?.('ready')

/** Gives the process its own time source, which a message with milliseconds sets to that distance from the machine's. */
function stepsClock(first: number): void {
  let stepMs = first
  const now = Date.now
  Date.now = () => now() + stepMs
  globalThis.Date = new Proxy(Date, {
    construct: (target, parts, newTarget) =>
      Reflect.construct(target, parts.length === 0 ? [target.now()] : parts, newTarget),
  })
  process.on('message', (message) => {
    stepMs = Number(message)
  })
}
