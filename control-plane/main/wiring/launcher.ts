/** The launcher that the configuration names. */
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BotUser } from '@standin/wire/process/bot-user.ts'
import { createJobOffers } from '../../launching/due/job-offers.ts'
import { BOT_LIMITS } from '../../launching/launchers/docker/container.ts'
import { createDockerLauncher } from '../../launching/launchers/docker/launcher.ts'
import { createProcessLauncher } from '../../launching/launchers/process/launcher.ts'
import { MIB } from '../../launching/launchers/shared/capacity.ts'
import type { Launcher, Log, Seals } from '../../platform/ports.ts'
import type { Database } from '../../store/database.ts'
import { keepSetting } from '../../store/settings.ts'
import type { ServiceConfig } from '../config/config.ts'
import { DEMO_LINK, startDemoMeeting } from './demo.ts'
import { hasMockMeetings, standinCommand } from './installed-file.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Whether a bot for the demo's link is sent into the built-in mock meeting, which only processes of this machine reach. */
export function servesDemo(config: ServiceConfig): boolean {
  return config.offersDemo && config.launcher === 'process' && config.roles.has('launcher') && hasMockMeetings()
}

export interface LauncherParts {
  config: ServiceConfig
  environment: Environment
  /** Of the role. */
  database: Database
  seals: Seals
  botUser: BotUser | null
  /** Address of the control link, as bots reach it. */
  linkUrl: string
  log: Log
}

/** Rejects with a sentence if the launcher cannot be used here. */
export function openLauncher(parts: LauncherParts): Promise<Launcher> {
  const { config, environment } = parts
  // An option of the command line counts for bots as its variable does.
  const botVariables = { ...environment, ...(config.allowPrivateAddresses && { STANDIN_PRIVATE_ADDRESSES: 'allow' }) }
  switch (config.launcher) {
    case 'docker':
      return openDocker(parts, botVariables)
    case 'kubernetes':
      return openKubernetes(parts, botVariables)
    case 'process':
      return openProcess(parts, botVariables)
  }
}

/** Distinguishes an engine's bots of one service from those of another. */
async function installationOf(database: Database): Promise<string> {
  return String(await keepSetting(database, 'installation_id', randomUUID()))
}

/** Cores and memory that a bot in a container may take. */
const limitsOf = ({ botContainer: { cores, memory } }: ServiceConfig) => ({ cores, memoryBytes: memory * MIB })

const mappings = ({ mapHosts }: ServiceConfig) => mapHosts.map(({ host, address }) => `${host}=${address}`)

function openProcess({ config, environment, botUser, log }: LauncherParts, botVariables: Environment) {
  const isDemo = servesDemo(config)
  return createProcessLauncher({
    folder: join(config.dataFolder, 'bots'),
    command: config.botCommand ?? standinCommand('join'),
    mapHosts: mappings(config),
    mapHostsOf: async (job) => (isDemo && job.meeting_url === DEMO_LINK ? startDemoMeeting(environment, log) : []),
    environment: botVariables,
    maxBots: config.maxBots,
    spareBots: config.spareBots,
    needs: config.needs,
    botUser,
    log,
  })
}

async function openDocker(
  { config, environment, database, seals, linkUrl, log }: LauncherParts,
  botVariables: Environment,
) {
  const { image, network, recordings, pull, seccompProfile } = config.botContainer
  const { storage } = config
  return createDockerLauncher({
    host: environment.DOCKER_HOST || null,
    installation: await installationOf(database),
    image,
    mayPull: pull === 'missing',
    network,
    mapHosts: mappings(config),
    environment: botVariables,
    limits: { ...BOT_LIMITS, ...limitsOf(config) },
    seccompProfile: seccompProfile && (await readProfile(seccompProfile)),
    recordings: storage.type === 'folder' ? { path: storage.path, source: recordings ?? storage.path } : null,
    maxBots: config.maxBots,
    needs: config.needs,
    offers: createJobOffers({ database, seals, linkUrl }),
    workFolder: join(config.dataFolder, 'bots'),
    log,
  })
}

async function openKubernetes(
  { config, environment, database, seals, linkUrl, log }: LauncherParts,
  botVariables: Environment,
): Promise<Launcher> {
  // The client of Kubernetes is large, and the other launchers do without.
  const { createKubernetesLauncher } = await import('../../launching/launchers/kubernetes/launcher.ts')
  const { ownNamespace, readKubeConfig } = await import('../../launching/launchers/kubernetes/cluster.ts')
  const cluster = readKubeConfig(environment)
  const { image, network, pull } = config.botContainer
  return createKubernetesLauncher({
    ...config.botPod,
    config: cluster,
    environment: botVariables,
    namespace: config.botPod.namespace ?? ownNamespace(cluster),
    installation: await installationOf(database),
    image,
    pull,
    usesHostNetwork: network === 'host',
    needs: config.needs,
    limits: limitsOf(config),
    shmBytes: BOT_LIMITS.shmBytes,
    mapHosts: mappings(config),
    maxBots: config.maxBots,
    offers: createJobOffers({ database, seals, linkUrl }),
    log,
  })
}

/** The engine takes the profile itself, not its file. */
async function readProfile(file: string): Promise<string> {
  try {
    return JSON.stringify(JSON.parse(await readFile(file, 'utf8')))
  } catch (error) {
    throw new Error(`The seccomp profile ${file} (STANDIN_BOT_SECCOMP) cannot be used: ${(error as Error).message}`, {
      cause: error,
    })
  }
}
