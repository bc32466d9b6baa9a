/** The composition of the service: makes the parts that its roles need, and closes them in order. */
import type { Server } from 'node:http'
import { type AddressInfo, createServer as createSocket } from 'node:net'
import { join } from 'node:path'
import { requestRetranscription } from '../actions/retranscribe.ts'
import { evaluateAlerts, sendTestAlert } from '../alerts/evaluate.ts'
import { createAlertMail } from '../alerts/mail.ts'
import { buildApi } from '../api/http/server.ts'
import type { Role, ServiceConfig } from '../config/config.ts'
import { authorizeUser } from '../connections/authorize.ts'
import { createJobHandler } from '../control-link/job-address.ts'
import { createLinkServer } from '../control-link/link-server.ts'
import { createArtifactLinks } from '../files/artifact-links.ts'
import { startJobs } from '../jobs/index.ts'
import { createProviderDeletion, ownKeys } from '../jobs/provider-deletion.ts'
import { startRetranscriptions } from '../jobs/retranscription.ts'
import { createTranscribeCommand } from '../jobs/transcribe-command.ts'
import { startCapacityReport } from '../launching/due/capacity-report.ts'
import { startLaunching } from '../launching/index.ts'
import { botEnvironment } from '../launching/launchers/process/bot-environment.ts'
import { createJoinPartsCommand } from '../launching/programs/join-parts-command.ts'
import { createRecoverCommand } from '../launching/programs/recover-command.ts'
import { createGuardedClient } from '../outgoing/guarded-client.ts'
import { createMailer } from '../outgoing/mailer.ts'
import type { Clock, Log } from '../ports.ts'
import { type Database, openDatabase } from '../store/database.ts'
import { databaseTime } from '../store/drain.ts'
import { learnedCost } from '../store/launches/launches.ts'
import { createMetrics } from '../watching/metrics.ts'
import { openTraces } from '../watching/traces.ts'
import { type Dispatcher, startDispatcher } from '../webhooks/dispatcher.ts'
import { resendEnd, sendCallback, sendTest } from '../webhooks/replay.ts'
import { openServiceCalendars } from './calendars.ts'
import { Closing } from './closing.ts'
import { openJoinTokens, openPlatform } from './connections.ts'
import { openFiles } from './files.ts'
import { httpAddress, publicUrlOf } from './http-address.ts'
import { type Installation, openInstallation } from './installation.ts'
import { installedFile, standinCommand, versionOfProgram } from './installed-file.ts'
import { type Environment, openLauncher } from './launcher.ts'
import { openOidc } from './oidc.ts'
import { createProbes, type Place } from './probes.ts'
import { readinessOf } from './readiness.ts'
import { ownerSignInLink } from './sign-in-link.ts'
import { watchDrain } from './watch-drain.ts'

/** Connections of each role; together less than PostgreSQL's usual 100, also with a command beside it. */
const CONNECTIONS = { api: 20, keys: 4, links: 12, launcher: 10, dispatcher: 12, jobs: 8, connections: 4 } as const
/** Leaves time for everything else within the grace of the process. */
const DISPATCHER_PATIENCE_MS = 7_000

/** Of the control link of bots. */
const LINK_PATH = '/link'

export interface Service {
  /** Where it listens. */
  address: string
  publicUrl: string
  /** Made by this start. */
  firstKey: string | null
  /** Signs the first owner in to the dashboard, once; null where this process has no API. */
  signInLink: string | null
  /** Finishes requests and deliveries under way; bots run on. Repeatable, never rejects. */
  close(): Promise<void>
}

/** Rejects with a sentence where the data folder, the database, a key or the port cannot be used. */
export async function startService(config: ServiceConfig, environment: Environment, log: Log): Promise<Service> {
  const closing = new Closing(log)
  try {
    const installation = await openInstallation(config, 'service', log)
    closing.add('installation', () => installation.close())
    return await startRoles(config, environment, log, installation, closing)
  } catch (error) {
    await closing.run()
    throw error
  }
}

async function startRoles(
  config: ServiceConfig,
  environment: Environment,
  log: Log,
  installation: Installation,
  closing: Closing,
): Promise<Service> {
  const { seals, database: startDatabase, databaseUrl } = installation
  const clock: Clock = { now: Date.now }
  const has = (role: Role) => config.roles.has(role)
  const metrics = createMetrics({ database: startDatabase, log })
  const { meters } = metrics
  const { traces, close: closeTraces } = await openTraces(environment, { log, version: versionOfProgram() })
  closing.add('traces', closeTraces)
  let dispatcher: Dispatcher | undefined
  const pool = (role: keyof typeof CONNECTIONS): Database => {
    const onError = (error: Error) => log.warn({ role, error: String(error) }, 'A database connection broke')
    const onDeliveries = role === 'dispatcher' || !has('dispatcher') ? undefined : () => dispatcher?.wake()
    const connections = CONNECTIONS[role]
    const readsByIndex = role === 'dispatcher'
    const opened = openDatabase({
      url: databaseUrl,
      role,
      connections,
      onError,
      readsByIndex,
      watch: (counts) => metrics.pool(role, counts),
      ...(onDeliveries && { onDeliveries }),
    })
    closing.add(`database of ${role}`, () => opened.destroy())
    return opened
  }
  const address = httpAddress(config.host, config.port === 0 ? await freePort(config.host) : config.port)
  const publicUrl = publicUrlOf(config, address)
  const linkUrl = config.linkUrl ?? new URL(LINK_PATH, address.href.replace(/^http/, 'ws')).href
  const files = await openFiles(config, installation, publicUrl)
  closing.add('files', async () => files.close())
  const readiness = readinessOf(startDatabase, seals, files.check)
  const client = createGuardedClient({ allowPrivate: config.allowPrivateAddresses })
  closing.add('client', () => client.close())
  const { platform, close: closePlatform } = openPlatform(config.providers.zoom)
  closing.add('conferencing platform', closePlatform)
  // One for the process: a pair of tokens that the database does not accept is in its memory only.
  const joinTokens = onceOnly(() => {
    const opened = openJoinTokens({ database: pool('connections'), seals, platform, log, meters })
    closing.add('tokens of connections', () => opened.close())
    return opened
  })
  const calendarsOf = (database: Database) => {
    const calendars = openServiceCalendars(config, { database, seals, log, meters, publicUrl })
    closing.addWork('calendars', () => calendars.close())
    return calendars
  }

  const linkDatabase = has('links') ? pool('links') : null
  const jobs = linkDatabase && createJobHandler({ database: linkDatabase, seals, log })
  const { server, listen } = await makeServer()
  if (linkDatabase !== null) {
    const freshToken = (owner: { botId: string; attempt: number }) => joinTokens().again(owner)
    const links = createLinkServer({ database: linkDatabase, clock, log, meters, traces, freshToken })
    metrics.gauge('links', 'Bots that are connected to this process.', () => links.size)
    closing.addWork('links', () => links.close())
    server.on('upgrade', (request, socket, head) => {
      if (pathOf(request.url) === LINK_PATH) links.handleUpgrade(request, socket, head)
      else socket.end('HTTP/1.1 404 Not Found\r\nconnection: close\r\n\r\n')
    })
  }
  await listen({ host: config.host, port: Number(address.port || 80) }).catch((error) => {
    throw listenProblem(error, config.host, address.port)
  })
  if (has('launcher')) {
    const database = pool('launcher')
    const launcher = await openLauncher({
      config,
      environment,
      database,
      seals,
      linkUrl,
      learnedCost: () => learnedCost(database),
      log,
    })
    const recover = createRecoverCommand({ command: standinCommand('recover'), environment })
    const launching = startLaunching({
      database,
      databaseUrl,
      launcher,
      files: files.store,
      seals,
      grants: joinTokens().grants,
      recover,
      joinParts: createJoinPartsCommand({ command: standinCommand('join-parts'), environment }),
      resumesBots: config.resumesBots,
      log,
      meters,
      traces,
      onPass: () => metrics.ran('reconciler'),
      linkUrl,
    })
    closing.addWork(
      'drain',
      watchDrain(database, await databaseTime(database), () => launching.drain(), log),
    )
    closing.addWork('launching', () => launching.close().finally(() => launcher.close?.()))
    const image = launcher.kind === 'docker' || launcher.kind === 'kubernetes' ? config.botImage : null
    const capacity = startCapacityReport({ database, launcher, version: versionOfProgram(), image, log })
    closing.addWork('capacity report', () => capacity.close())
  }
  if (has('dispatcher')) {
    const database = pool('dispatcher')
    const links = createArtifactLinks(database, files.store)
    const delays = config.webhookDelays ?? undefined
    const mail = createAlertMail(config.mail && createMailer(config.mail), publicUrl)
    const tools = { database, client, seals, links, mail, clock, log, meters, traces }
    const started = startDispatcher({ ...tools, ...(delays && { delays }) })
    dispatcher = started
    closing.addWork('dispatcher', () => started.close(DISPATCHER_PATIENCE_MS))
  }
  if (has('jobs')) {
    const database = pool('jobs')
    const calendars = calendarsOf(database)
    calendars.start()
    const provider = createProviderDeletion({ client, environment })
    const deletion = { files: files.store, provider, ownKeyOf: ownKeys(seals) }
    const jobs = startJobs({
      database,
      log,
      ...deletion,
      renewals: () => calendars.renew(),
      alerts: () => evaluateAlerts(database, log),
    })
    closing.addWork('jobs', () => jobs.close())
    const transcribe = createTranscribeCommand({
      command: standinCommand('transcribe'),
      environment: botEnvironment(environment, { type: 'folder', path: '' }),
    })
    const workFolder = join(config.dataFolder, 'retranscription')
    const retranscriptions = startRetranscriptions({ database, files: files.store, seals, transcribe, log, workFolder })
    closing.addWork('retranscriptions', () => retranscriptions.close())
  }
  const signInLink = has('api') && config.greets ? await ownerSignInLink(startDatabase, publicUrl) : null
  return { address: address.href, publicUrl, firstKey: installation.firstKey, signInLink, close: () => closing.run() }

  /** Not listening yet, so that no bot connects before its link can be accepted. */
  async function makeServer(): Promise<{ server: Server; listen(place: Place): Promise<unknown> }> {
    if (!has('api')) {
      const probes = createProbes({
        database: startDatabase,
        readiness,
        metrics: metrics.registry,
        ...(jobs && { jobs }),
      })
      closing.addWork('probes', () => probes.close())
      return probes
    }
    const database = pool('api')
    const oidc = config.oidc && openOidc(config.oidc)
    if (oidc !== null) closing.add('OpenID provider', oidc.close)
    const app = await buildApi({
      database,
      keyDatabase: pool('keys'),
      seals,
      links: createArtifactLinks(database, files.store),
      webhooks: {
        sendTest: (endpointId) => sendTest(database, endpointId),
        resendEnd: (botId) => resendEnd(database, botId),
        sendCallback: (botId, target) => sendCallback(database, seals, botId, target),
      },
      alerts: { sendsMail: config.mail !== null, sendTest: (ruleId) => sendTestAlert(database, ruleId) },
      retranscribe: (...asked) => requestRetranscription(database, seals, ...asked),
      calendars: calendarsOf(database).operations,
      conferencing: { authorize: (app, grant) => authorizeUser(platform, app, grant) },
      ...(oidc && { oidc: oidc.signIn }),
      client,
      clock,
      log,
      files: files.handler,
      ...(jobs && { jobs }),
      readiness,
      metrics: metrics.registry,
      traces,
      settings: {
        publicUrl,
        version: versionOfProgram(),
        dashboardFolder: installedFile('dist/dashboard'),
        jitsiHosts: config.jitsiHosts,
        // A process that only serves the API need not have the keys of the operator's speech services.
        ...(has('launcher') && { speech: environment }),
        ...(config.trustedProxies.length > 0 && { trustedProxies: config.trustedProxies }),
      },
    })
    closing.addWork('api', () => app.close())
    return { server: app.server, listen: (place) => app.listen(place) }
  }
}

function listenProblem(error: unknown, host: string, port: string): Error {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE')
    return new Error(`Port ${port} of ${host} is taken by another program: choose one with --port`, { cause: error })
  if (code === 'EACCES' || code === 'EADDRNOTAVAIL')
    return new Error(`The service may not listen on ${host}, port ${port} (${code})`, { cause: error })
  return error as Error
}

/** Links are signed with the address before anything listens, so the port has to be known. */
function freePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = createSocket()
    socket.once('error', reject)
    socket.listen(0, host, () => {
      const { port } = socket.address() as AddressInfo
      socket.close(() => resolve(port))
    })
  })
}

const pathOf = (url = ''): string => url.split('?', 1)[0]!.replace(/(?<=.)\/$/, '')

function onceOnly<T>(make: () => T): () => T {
  let made: { value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
