/** Starts the roles of a process besides the API. Each one closes its parts with the process. */
import { join } from 'node:path'
import { leaseAccount, takeAccountReport } from '../../bots/actions/lease-account.ts'
import { createLinkServer } from '../../control-link/link-server.ts'
import { createArtifactLinks } from '../../files/artifact-links.ts'
import { freshKeysOf } from '../../files/fresh-keys.ts'
import { startJobs } from '../../files/jobs/index.ts'
import { checkPages } from '../../files/jobs/page-checks.ts'
import { createProviderDeletion, ownKeys } from '../../files/jobs/provider-deletion.ts'
import { startRetranscriptions } from '../../files/jobs/retranscription.ts'
import { createTranscribeCommand } from '../../files/jobs/transcribe-command.ts'
import { startCapacityReport } from '../../launching/due/capacity-report.ts'
import { startLaunching } from '../../launching/index.ts'
import { botEnvironment } from '../../launching/launchers/shared/bot-environment.ts'
import { createJoinPartsCommand } from '../../launching/programs/join-parts-command.ts'
import { createRecoverCommand } from '../../launching/programs/recover-command.ts'
import type { Launcher } from '../../platform/ports.ts'
import type { Database } from '../../store/database.ts'
import { countOpenBots, databaseTime } from '../../store/drain.ts'
import { listenForWakeUps } from '../../store/wake-ups.ts'
import { startDispatcher } from '../../webhooks/dispatcher.ts'
import { startLiveWebhooks } from '../../webhooks/live.ts'
import { egressOf } from '../config/egress.ts'
import { zoomAppOf } from './consents.ts'
import { standinCommand, versionOfProgram } from './installed-file.ts'
import { openLauncher } from './launcher.ts'
import type { Parts } from './parts.ts'
import type { Speech } from './speech.ts'
import { watchDrain } from './watch-drain.ts'
import { wordsForBot } from './words.ts'

/** Leaves time for everything else within the grace of the process. */
const DISPATCHER_PATIENCE_MS = 7_000

/** The result handles upgrades. Before the server listens, so that no bot connects before its link can be accepted. */
export function acceptLinks(parts: Parts, database: Database): ReturnType<typeof createLinkServer>['handleUpgrade'] {
  const { log, meters, traces, metrics, closing, seals } = parts
  const accounts = { database, seals, log }
  const { prefixKeys } = parts.files.store
  const links = createLinkServer({
    ...{ database, log, meters, traces },
    answers: {
      token_request: (owner) => parts.joinTokens().again(owner),
      account_request: (owner) => leaseAccount(accounts, owner),
      account_report_request: (owner, report) => takeAccountReport(accounts, owner, report),
      ...(prefixKeys && { storage_keys_request: (owner) => freshKeysOf(database, prefixKeys, owner) }),
    },
  })
  metrics.gauge('links', 'Bots that are connected to this process.', () => links.size)
  closing.addWork('links', () => links.close())
  return (...upgrade) => links.handleUpgrade(...upgrade)
}

export async function startLauncherRole(parts: Parts): Promise<void> {
  const { config, environment, seals, linkUrl, log, meters, traces, metrics, files, closing, databaseUrl } = parts
  const database = parts.pool('launcher')
  const botUser = parts.bots.user
  const opened = await openLauncher({ config, environment, database, seals, botUser, linkUrl, log })
  const launcher = parts.speech === null ? opened : withSpeech(opened, parts.speech)
  // Bots of an earlier start may need it.
  if ((await countOpenBots(database)) > 0) parts.speech?.wake()
  const startedAt = await databaseTime(database)
  const launching = startLaunching({
    ...{ database, databaseUrl, launcher, seals, log, meters, traces, linkUrl },
    files: files.store,
    grants: parts.joinTokens().grants,
    zoomApp: zoomAppOf(config),
    words: () => wordsForBot(config.words, log),
    egressOf: (team, platform) => egressOf(config.egress, team, platform),
    recover: createRecoverCommand({ command: standinCommand('recover'), environment }),
    joinParts: createJoinPartsCommand({ command: standinCommand('join-parts'), environment }),
    resumesBots: config.resumesBots,
    onPass: () => metrics.ran('reconciler'),
  })
  closing.addWork('launching', () => launching.close().finally(() => launcher.close?.()))
  closing.addWork(
    'drain',
    watchDrain(database, startedAt, () => launching.drain(), log),
  )
  const image = launcher.kind === 'docker' || launcher.kind === 'kubernetes' ? config.botContainer.image : null
  const { speechProblems: speech } = parts
  const capacity = startCapacityReport({ database, launcher, version: versionOfProgram(), image, speech, log })
  closing.addWork('capacity report', () => capacity.close())
}

/** A bot whose transcript the recognizer of this machine makes wakes it. */
function withSpeech(launcher: Launcher, speech: Speech): Launcher {
  return {
    ...launcher,
    start(spec) {
      if (spec.job.transcription?.provider === 'Default') speech.wake()
      return launcher.start(spec)
    },
  }
}

export function startDispatcherRole(parts: Parts): void {
  const { config, client, seals, clock, log, meters, traces, files, publicUrl, dispatching, closing, databaseUrl } =
    parts
  const database = parts.pool('dispatcher')
  const dispatcher = startDispatcher({
    ...{ database, client, seals, clock, log, meters, traces },
    links: createArtifactLinks(database, files.store, publicUrl),
    maxSleepMs: (withoutHintsMs) => hints.maxSleepMs(withoutHintsMs),
    ...(config.webhookDelays && { delays: config.webhookDelays }),
  })
  dispatching.wake = () => dispatcher.wake()
  const live = startLiveWebhooks(database, log)
  const onBroken = (error: Error) => log.warn({ error: String(error) }, 'The connection for wake-ups broke')
  const hints = listenForWakeUps(databaseUrl, 'deliveries', dispatching.wake, onBroken)
  const liveHints = listenForWakeUps(databaseUrl, 'events', live.wake, onBroken)
  closing.addWork('wake-ups of the dispatcher', () => Promise.all([hints.close(), liveHints.close()]))
  closing.addWork('live webhooks', () => live.close())
  closing.addWork('dispatcher', () => dispatcher.close(DISPATCHER_PATIENCE_MS))
}

/** They need what a bot needs, on the machine of this process. */
function pageChecks({ config, environment, log, meters }: Parts) {
  const { links, minutes } = config.checks
  const mapped = config.mapHosts.flatMap(({ host, address }) => ['--map-host', `${host}=${address}`])
  const settings = {
    ...{ links, log, meters, jitsiHosts: config.jitsiHosts, words: config.words },
    command: [...standinCommand('check'), ...mapped],
    environment: botEnvironment(environment, { type: 'folder', path: '' }),
  }
  return { run: (signal: AbortSignal) => checkPages(settings, signal), everySeconds: minutes * 60 }
}

export function startJobsRole(parts: Parts): void {
  const { config, environment, client, seals, log, files, closing, databaseUrl } = parts
  const database = parts.pool('jobs')
  const calendars = parts.calendarsOf(database)
  const hints = listenForWakeUps(databaseUrl, 'calendars', calendars.wake, (error) =>
    log.warn({ error: String(error) }, 'The connection for wake-ups broke'),
  )
  closing.addWork('wake-ups of calendars', () => hints.close())
  calendars.start(hints.maxSleepMs)
  const jobs = startJobs({
    ...{ database, log, files: files.store, ownKeyOf: ownKeys(seals), keep: config.keep },
    provider: createProviderDeletion({ client, environment }),
    renewals: () => calendars.renew(),
    ...(config.checks.links.length > 0 && { checks: pageChecks(parts) }),
  })
  closing.addWork('jobs', () => jobs.close())
  const transcribe = createTranscribeCommand({
    command: standinCommand('transcribe'),
    environment: botEnvironment(environment, { type: 'folder', path: '' }),
    operator: environment,
  })
  const retranscriptions = startRetranscriptions({
    ...{ database, seals, log, files: files.store },
    transcribe(...asked) {
      parts.speech?.wake()
      return transcribe(...asked)
    },
    workFolder: join(config.dataFolder, 'retranscription'),
  })
  closing.addWork('retranscriptions', () => retranscriptions.close())
}
