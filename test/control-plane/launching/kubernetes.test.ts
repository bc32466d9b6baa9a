/** The Kubernetes launcher on a fake cluster: the contract of all launchers, and what only a cluster does. */
import { fileURLToPath } from 'node:url'
import { KubeConfig } from '@kubernetes/client-node'
import { expect, onTestFinished, test } from 'vitest'
import type { KubernetesLauncherSettings } from '../../../control-plane/launching/launchers/kubernetes.ts'
import type { EndEvidence, Launcher, LaunchHandle } from '../../../control-plane/ports.ts'
import { FakeCluster } from './fake-cluster.ts'
import { MISSING_IMAGE } from './fake-node.ts'
import { type KubernetesBench, kubernetesBench } from './kubernetes-bench.ts'
import { describeLauncher } from './launcher-contract.ts'

const PROGRAM = fileURLToPath(new URL('stand-in-bot.mjs', import.meta.url))

function configOf({ port }: FakeCluster): KubeConfig {
  const config = new KubeConfig()
  // The client speaks plain HTTP with servers alone that need not prove who they are.
  const cluster = { name: 'fake', server: `http://127.0.0.1:${port}`, skipTLSVerify: true }
  config.loadFromClusterAndUser(cluster, { name: 'service', token: 'token' })
  return config
}

async function bench(maxBots: number | null, cluster: FakeCluster): Promise<KubernetesBench> {
  const podsOf = ({ name }: LaunchHandle) => cluster.pods.filter(({ metadata }) => metadata.ownerJob === name)
  const opened = await kubernetesBench(
    {
      config: configOf(cluster),
      target: { host: '127.0.0.1', port: cluster.port },
      settings: {},
      logOf: async (handle) =>
        podsOf(handle)
          .map(({ metadata }) => cluster.logOf(metadata.name))
          .join(''),
      cleanUp: async () => {},
    },
    { maxBots },
  )
  return { ...opened, close: () => opened.close().then(() => cluster.close()) }
}

const startCluster = () => FakeCluster.start([process.execPath, PROGRAM])

describeLauncher('Kubernetes (fake cluster)', async ({ maxBots }) => bench(maxBots, await startCluster()))

async function open(maxBots: number | null = null) {
  const cluster = await startCluster()
  const opened = await bench(maxBots, cluster)
  onTestFinished(() => opened.close())
  const start = (launcher: Launcher, does: Parameters<KubernetesBench['job']>[0], says?: string) => {
    const job = opened.job(does, says)
    return launcher.start({ botId: job.bot_id, attempt: 1, job })
  }
  return { ...opened, cluster, start }
}

async function ended(launcher: Launcher, handle: LaunchHandle): Promise<EndEvidence> {
  await expect.poll(async () => (await launcher.inspect(handle)).state).toBe('ended')
  const state = await launcher.inspect(handle)
  if (state.state !== 'ended') throw new Error(`The bot is ${state.state}`)
  return state.evidence
}
