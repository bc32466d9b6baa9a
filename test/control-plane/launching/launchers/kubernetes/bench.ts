/** The Kubernetes launcher on a cluster, the fake one or a real one, for the contract and for its own tests. */
import { randomUUID } from 'node:crypto'
import { KubeConfig } from '@kubernetes/client-node'
import {
  createKubernetesLauncher,
  type KubernetesLauncherSettings,
} from '@standin/control-plane/launching/launchers/kubernetes/launcher.ts'
import type { Launcher, LaunchHandle } from '@standin/control-plane/platform/ports.ts'
import { expect } from 'vitest'
import { SMALL_LIMITS, SMALL_NEEDS } from '../../needs.ts'
import { startRelay } from '../../relay.ts'
import { type LauncherBench, plainJob } from '../launcher-contract.ts'
import { startOffers } from '../offers.ts'

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
