/** The composition of the service: starts the roles of this process, and closes them in order. */
import type { Duplex } from 'node:stream'
import type { Weakness } from '@standin/wire/process/bot-user.ts'
import type { LogSink } from '@standin/wire/process/log-sink.ts'
import { signInAddress } from '../../api/dashboard/addresses.ts'
import { createJobHandler } from '../../control-link/job-address.ts'
import type { Log } from '../../platform/ports.ts'
import { probeSealKeys } from '../../platform/secrets/key-check.ts'
import type { KeyRing } from '../../platform/secrets/seals.ts'
import { createProbes } from '../../platform/watching/probes.ts'
import type { Database } from '../../store/database.ts'
import { missingMigrations } from '../../store/migrate.ts'
import { firstOwner } from '../../store/people/people.ts'
import { createSignInLink } from '../../store/people/sessions.ts'
import { writeSetting } from '../../store/settings.ts'
import type { ServiceConfig } from '../config/config.ts'
import { openApi } from './api.ts'
import { createBareServer, type ListeningServer, pathOf } from './bare-server.ts'
import { Closing } from './closing.ts'
import { addressFile, writeSecretFile } from './data-folder.ts'
import { freePort, httpAddress, PRIVATE_ADDRESSES, PUBLIC_URL } from './http-address.ts'
import { openInstallation } from './installation.ts'
import type { Environment } from './launcher.ts'
import { LINK_PATH, openParts, type Parts, type ProcessSettings } from './parts.ts'
import { acceptLinks, startDispatcherRole, startJobsRole, startLauncherRole } from './roles.ts'
import { openSpeech } from './speech.ts'

export interface Service {
  /** Where it listens. */
  address: string
  publicUrl: string
  /** Made by this start. */
  firstKey: string | null
  /** Makes a link that signs the first owner in to the dashboard, once; null if this process has no API. */
  signInLink(): Promise<string | null>
  /** How bots are less protected than they could be, and the cure; null: not at all. */
  weakness: Weakness | null
  /** Whether bots can make transcripts by `Default`. */
  transcribes: boolean
  /** Finishes requests and deliveries under way; bots run on. Repeatable, never rejects. */
  close(): Promise<void>
}

/** Rejects with a sentence if the data folder, the database, a key or the port cannot be used. */
export async function startService(
  config: ServiceConfig,
  environment: Environment,
  log: Log,
  sink?: Pick<LogSink, 'lost' | 'problem'>,
): Promise<Service> {
  const closing = new Closing(log)
  try {
    // Before a database and a key are made: a start that ends here leaves nothing behind.
    const port = await freePort(config.host, config.port).catch((error) => {
      throw listenProblem(error, config.host, config.port)
    })
    const address = httpAddress(config.host, port)
    const installation = await openInstallation(config, 'service', log)
    closing.add('installation', () => installation.close())
    const speech = await openSpeech(config, environment, { log, closing })
    const settings = { config, environment: { ...environment, ...speech?.environment }, speech }
    return await startRoles({ ...settings, log, sink, installation, closing, address })
  } catch (error) {
    await closing.run()
    throw error
  }
}

async function startRoles(settings: ProcessSettings): Promise<Service> {
  const { config, installation, closing, address } = settings
  const parts = await openParts(settings)
  const { has, publicUrl, database } = parts
  await listen(parts, address)
  if (has('launcher')) await startLauncherRole(parts)
  if (has('dispatcher')) startDispatcherRole(parts)
  if (has('jobs')) startJobsRole(parts)
  if (has('api')) {
    await writeSetting(database, PUBLIC_URL, publicUrl)
    await writeSetting(database, PRIVATE_ADDRESSES, config.allowPrivateAddresses)
    await writeSecretFile(addressFile(config.dataFolder), publicUrl)
  }
  return {
    ...{ address: address.href, publicUrl, firstKey: installation.firstKey },
    signInLink: async () => (has('api') ? ownerSignInLink(database, publicUrl) : null),
    weakness: parts.bots.weakness,
    transcribes: parts.speechProblems.Default.withoutKey === null,
    close: () => closing.run(),
  }
}

/** Makes the owner if there is none yet. Null if there is no team. */
async function ownerSignInLink(database: Database, publicUrl: string): Promise<string | null> {
  const owner = await firstOwner(database)
  return owner === null ? null : signInAddress(publicUrl, await createSignInLink(database, owner))
}

/** Opens the server of this process, with the API if it has that role. */
async function listen(parts: Parts, address: URL): Promise<void> {
  const { config, has, closing, database, callers, seals, storage, bots, log, sink, metrics } = parts
  const linkDatabase = has('links') ? parts.pool('links') : null
  const jobs = linkDatabase && createJobHandler({ database: linkDatabase, seals, log })
  const keyDatabase = has('api') ? parts.pool('keys') : null
  const probes = createProbes({
    database: keyDatabase ?? database,
    readiness: readinessOf(database, seals, storage.readiness),
    warnings: {
      log: () => sink?.problem ?? null,
      row_security: () => callers.problem,
      recordings: storage.warning,
      // Paths are for the operator alone.
      bots: () =>
        bots.weakness && 'Bots run as root or without the sandbox of Chromium; "standin service doctor" says why',
    },
    metrics: metrics.registry,
  })
  const server: ListeningServer = keyDatabase
    ? await openApi(parts, { keyDatabase, probes, ...(jobs && { jobs }) })
    : bareServer()
  const links = linkDatabase && acceptLinks(parts, linkDatabase)
  server.server.on('upgrade', (request, socket, head) => {
    if (links && pathOf(request.url) === LINK_PATH) links(request, socket, head)
    else refuseUpgrade(socket)
  })
  await server.listen({ host: config.host, port: Number(address.port || 80) }).catch((error) => {
    throw listenProblem(error, config.host, Number(address.port || 80))
  })

  function bareServer() {
    const bare = createBareServer(probes, jobs)
    closing.addWork('probes', () => bare.close())
    return bare
  }
}

function refuseUpgrade(socket: Duplex): void {
  // Without a listener, a client that resets the connection would end the process.
  socket.on('error', () => socket.destroy())
  socket.end('HTTP/1.1 404 Not Found\r\nconnection: close\r\n\r\n')
}

function listenProblem(error: unknown, host: string, port: number): Error {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE')
    return new Error(`Port ${port} of ${host} is taken by another program: choose one with --port`, { cause: error })
  if (code === 'EACCES' || code === 'EADDRNOTAVAIL')
    return new Error(`The service may not listen on ${host}, port ${port} (${code})`, { cause: error })
  return error as Error
}

/** Checks of `/readyz` besides the database. Their sentences hold no address and no secret. */
type Readiness = Readonly<Record<string, () => Promise<void>>>

function readinessOf(database: Database, seals: KeyRing, recordings: () => Promise<void>): Readiness {
  return {
    migrations: async () => {
      const missing = await missingMigrations(database).catch(() => null)
      if (missing === null) throw new Error('The migrations of the database could not be read')
      if (missing.length > 0)
        throw new Error(`The database lacks the migrations ${missing.join(', ')}: restart the service`)
    },
    keyring: () => probeSealKeys(database, seals),
    recordings,
  }
}
