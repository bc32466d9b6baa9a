/** The launcher that the configuration names. */
import { join } from 'node:path'
import type { ServiceConfig } from './config.ts'
import { DEMO_LINK, startDemoMeeting } from './demo.ts'
import { hasMockMeetings, standinCommand } from './installed-file.ts'
import { createProcessLauncher, type ProcessLauncherSettings } from './launching/launchers/process.ts'
import type { Launcher, Log } from './ports.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** Whether a bot for the demo's link is sent into the built-in mock meeting. */
export function servesDemo(config: ServiceConfig): boolean {
  return config.offersDemo && config.roles.has('launcher') && hasMockMeetings()
}

/** Rejects with a sentence where the launcher cannot be used here. */
export async function openLauncher(
  config: ServiceConfig,
  environment: Environment,
  learnedCost: NonNullable<ProcessLauncherSettings['learnedCost']>,
  log: Log,
): Promise<Launcher> {
  const isDemo = servesDemo(config)
  return createProcessLauncher({
    folder: join(config.dataFolder, 'bots'),
    command: config.botCommand ?? standinCommand('join'),
    mapHosts: config.mapHosts.map(({ host, address }) => `${host}=${address}`),
    mapHostsOf: async (job) => (isDemo && job.meeting_url === DEMO_LINK ? startDemoMeeting(environment, log) : []),
    // An option of the command line counts for bots as its variable does.
    environment: { ...environment, ...(config.allowPrivateAddresses && { STANDIN_PRIVATE_ADDRESSES: 'allow' }) },
    maxBots: config.maxBots,
    learnedCost,
    log,
  })
}
