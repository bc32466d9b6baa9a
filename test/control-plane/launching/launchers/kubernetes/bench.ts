/** The Kubernetes launcher on a cluster, the fake one or a real one, for the contract and for its own tests. */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { KubeConfig } from '@kubernetes/client-node'
import {
  createKubernetesLauncher,
  type KubernetesLauncherSettings,
} from '@standin/control-plane/launching/launchers/kubernetes/launcher.ts'
import type { JobOffers, Launcher, LaunchHandle } from '@standin/control-plane/platform/ports.ts'
import { expect } from 'vitest'
import { SMALL_LIMITS, SMALL_NEEDS } from '../../needs.ts'
import { startRelay } from '../../relay.ts'
import { type LauncherBench, plainJob } from '../launcher-contract.ts'

/** Jobs by address as the service offers them, without a database. */
async function startOffers(): Promise<JobOffers & { tokens: Map<string, string>; open(): string[]; close(): void }> {
  const jobs = new Map<string, { token: string; job: string }>()
  const tokens = new Map<string, string>()
  const server = createServer((request, response) => {
    const place = request.url!.slice(1)
    const offer = jobs.get(place)
    const isOurs = offer !== undefined && request.headers.authorization === `Bearer ${offer.token}`
    if (isOurs) jobs.delete(place)
    response.writeHead(isOurs ? 200 : 410).end(isOurs ? offer.job : 'gone')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    tokens,
    open: () => [...jobs.keys()],
    addressOf: (botId, attempt) => `http://127.0.0.1:${port}/${botId}/${attempt}`,
    async offer({ botId, attempt, job }, token) {
      tokens.set(botId, token)
      jobs.set(`${botId}/${attempt}`, { token, job: JSON.stringify(job) })
    },
    async withdraw(botId, attempt) {
      jobs.delete(`${botId}/${attempt}`)
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** A cluster to run bots in, with the stand-in bot as its image. */
export interface ClusterUnderTest {
  /** For tests that check the cluster directly. */
  config: KubeConfig
  /** Where a relay has to lead. */
  target: { host: string; port: number }
  settings: Partial<KubernetesLauncherSettings>
  /** Of the pod of a bot. */
  logOf(handle: LaunchHandle): Promise<string>
  /** Removes what is left of an installation. */
  cleanUp(installation: string): Promise<void>
}

export interface KubernetesBench extends LauncherBench {
  offers: Awaited<ReturnType<typeof startOffers>>
  open(values?: Partial<KubernetesLauncherSettings>): Promise<Launcher>
  installation: string
}

/** The same configuration, by way of another address. */
function configBy(config: KubeConfig, server: string): KubeConfig {
  const [cluster, user] = [config.getCurrentCluster()!, config.getCurrentUser()!]
  const moved = new KubeConfig()
  moved.loadFromClusterAndUser({ ...cluster, server }, user)
  return moved
}

export async function kubernetesBench(
  { config, target, settings, logOf, cleanUp }: ClusterUnderTest,
  { maxBots }: { maxBots: number | null },
): Promise<KubernetesBench> {
  const offers = await startOffers()
  const relay = await startRelay(target)
  const installations = [randomUUID()]
  const launchers: Launcher[] = []
  /** Failures of the watches: the launcher has noticed that the cluster is away. */
  let silences = 0
  const heard = (_fields: object, message: string) => {
    if (message === 'The watch of bots in the cluster failed') silences += 1
  }
  async function open(values: Partial<KubernetesLauncherSettings> = {}): Promise<Launcher> {
    const scheme = new URL(config.getCurrentCluster()!.server).protocol
    const launcher = await createKubernetesLauncher({
      config: configBy(config, relay.url.replace('http:', scheme)),
      installation: installations[0]!,
      namespace: 'bots',
      image: 'standin-test-stand-in-bot',
      pull: 'never',
      pullSecret: null,
      serviceAccount: null,
      nodeSelector: {},
      tolerations: [],
      usesHostNetwork: true,
      needs: SMALL_NEEDS,
      limits: SMALL_LIMITS,
      shmBytes: 64 * 1024 ** 2,
      mapHosts: [],
      environment: {},
      maxBots,
      offers,
      log: { info() {}, warn: heard, error() {} },
      ...settings,
      ...values,
    })
    launchers.push(launcher)
    return launcher
  }
  return {
    offers,
    open,
    installation: installations[0]!,
    launcher: await open(),
    job: (does, says = '') => plainJob({ storage: { type: 's3', bucket: 'calls' }, extra: { does, says } }),
    reopen: () => open(),
    async stranger() {
      installations.push(randomUUID())
      return open({ installation: installations.at(-1)! })
    },
    whenWaiting: (handle) => expect.poll(() => logOf(handle), { timeout: 60_000 }).toContain('waiting'),
    runs: async (handle) => (await logOf(handle)).match(/"arguments"/g)?.length ?? 0,
    engine: {
      async leave() {
        silences = 0
        await relay.leave()
        // Jobs and pods.
        await expect.poll(() => silences).toBe(2 * launchers.length)
      },
      comeBack: () => relay.comeBack(),
    },
    runsOutOfMemory: true,
    keepsLogs: true,
    async close() {
      for (const launcher of launchers) launcher.close!()
      for (const installation of installations) await cleanUp(installation)
      await relay.close()
      offers.close()
    },
  }
}
