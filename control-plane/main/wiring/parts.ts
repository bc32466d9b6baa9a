/** Parts that the roles of one process share: pools, metrics, files, clients, and the order in which all are closed. */
import { sentenceOf } from '@standin/wire/process/bot-user.ts'
import type { LogSink } from '@standin/wire/process/log-sink.ts'
import { speechProblemsOf } from '@standin/wire/speech-access.ts'
import type { Calendars } from '../../calendars/index.ts'
import { createGuardedClient } from '../../platform/outgoing/guarded-client.ts'
import type { Clock, Log } from '../../platform/ports.ts'
import { createMetrics } from '../../platform/watching/metrics.ts'
import { openTraces } from '../../platform/watching/traces.ts'
import { type Database, openDatabase } from '../../store/database.ts'
import { createHint } from '../../store/wake-ups.ts'
import type { Role, ServiceConfig } from '../config/config.ts'
import { openBotUser } from './bot-user.ts'
import { openServiceCalendars } from './calendars.ts'
import type { Closing } from './closing.ts'
import { type JoinTokens, openJoinTokens, openPlatforms } from './connections.ts'
import { completeBy } from './consents.ts'
import { lookForRecordings, openFiles, tryFiles } from './files.ts'
import { publicUrlOf } from './http-address.ts'
import type { Installation } from './installation.ts'
import { versionOfProgram } from './installed-file.ts'
import type { Environment } from './launcher.ts'
import { haveModel, type Speech } from './speech.ts'

/** Connections of each role; together less than PostgreSQL's usual 100, also with a command beside it. */
const CONNECTIONS = {
  api: 14,
  keys: 4,
  lists: 6,
  links: 12,
  launcher: 10,
  dispatcher: 12,
  jobs: 8,
  connections: 4,
} as const
/** A list of 200,000 bots without an index for its filter takes about one second. */
const LIST_TIMEOUT_MS = 3_000

export interface ProcessSettings {
  config: ServiceConfig
  environment: Environment
  /** The recognizer of this machine; null if bots have none. */
  speech: Speech | null
  log: Log
  /** Absent: the log is written by another program. */
  sink: Pick<LogSink, 'lost' | 'problem'> | undefined
  installation: Installation
  closing: Closing
  /** Where the process listens. */
  address: URL
}

export type Parts = Awaited<ReturnType<typeof openParts>>

/** Path of the control link of bots. */
export const LINK_PATH = '/link'

export async function openParts({
  config,
  environment,
  speech,
  log,
  sink,
  installation,
  closing,
  address,
}: ProcessSettings) {
  const { seals, database, callers } = installation
  const has = (role: Role) => config.roles.has(role)
  const clock: Clock = { now: Date.now }
  const metrics = createMetrics({ database, log })
  const { meters } = metrics
  if (sink) metrics.counter('log_lines_lost', 'Log lines of this process that could not be written.', () => sink.lost)
  const { traces, close: closeTraces } = await openTraces(environment, { log, version: versionOfProgram() })
  closing.add('traces', closeTraces)
  /** Wakes the dispatcher of this process, once there is one. */
  const dispatching: { wake: () => void } = { wake: () => {} }
  const hintDispatchers = createHint(database, 'deliveries', (error) =>
    log.warn({ error: String(error) }, 'Dispatchers could not be notified of a webhook'),
  )
  const pool = (role: keyof typeof CONNECTIONS): Database => {
    const opened = openDatabase({
      url: installation.databaseUrl,
      role,
      connections: CONNECTIONS[role],
      onError: (error) => log.warn({ role, error: String(error) }, 'A database connection broke'),
      readsByIndex: role === 'dispatcher' || role === 'lists',
      ...((role === 'api' || role === 'lists') && { callerRole: callers.role }),
      ...(role === 'lists' && { statementTimeoutMs: LIST_TIMEOUT_MS }),
      watch: (counts) => metrics.pool(role, counts),
      ...(role !== 'dispatcher' && { onDeliveries: has('dispatcher') ? () => dispatching.wake() : hintDispatchers }),
    })
    closing.add(`database of ${role}`, () => opened.destroy())
    return opened
  }
  const publicUrl = publicUrlOf(config, address)
  const bots = await openBotUser(config, environment)
  if (bots.weakness !== null) log.warn({}, sentenceOf(bots.weakness))
  const files = await openFiles(config, installation, publicUrl)
  closing.add('files', async () => files.close())
  const storage = await tryFiles(config, files, log)
  // The start does not wait for it.
  void lookForRecordings(config, installation, files, log)
  const client = createGuardedClient({ allowPrivate: config.allowPrivateAddresses })
  closing.add('client', () => client.close())
  const {
    platform,
    teams,
    close: closePlatforms,
  } = openPlatforms(config.providers.zoom, config.providers.microsoftLogin)
  closing.add('conferencing platforms', closePlatforms)
  const isOurs = speech !== null
  const speechProblems = speechProblemsOf(environment, { hasModel: haveModel(config, environment), isOurs })
  let openedTokens: JoinTokens | null = null
  return {
    ...{
      config,
      environment,
      speech,
      speechProblems,
      log,
      sink,
      closing,
      clock,
      has,
      metrics,
      meters,
      traces,
      dispatching,
      pool,
      files,
      bots,
    },
    ...{ storage, client, platform, teams, publicUrl, seals, database, callers },
    databaseUrl: installation.databaseUrl,
    linkUrl: config.linkUrl ?? new URL(LINK_PATH, address.href.replace(/^http/, 'ws')).href,
    /** One for the process: a pair of tokens that the database does not accept is in its memory only. */
    joinTokens(): JoinTokens {
      if (openedTokens !== null) return openedTokens
      const complete = completeBy(config.apps.zoom)
      const opened = openJoinTokens({ database: pool('connections'), seals, platform, teams, log, meters, complete })
      closing.add('tokens of connections', () => opened.close())
      openedTokens = opened
      return opened
    },
    /** `acrossTeams`: for notifications of providers, which name no team. */
    calendarsOf(calendarDatabase: Database, acrossTeams?: Database): Calendars {
      const databases = { database: calendarDatabase, ...(acrossTeams && { acrossTeams }) }
      const calendars = openServiceCalendars(config, { ...databases, seals, log, meters, publicUrl })
      closing.addWork('calendars', () => calendars.close())
      return calendars
    },
  }
}
