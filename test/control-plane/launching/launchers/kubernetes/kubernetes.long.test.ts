/** The Kubernetes launcher on the real cluster that `KUBECONFIG` names, with a small image in place of the worker's. */

import type { KubernetesLauncherSettings } from '@standin/control-plane/launching/launchers/kubernetes/launcher.ts'
import type { Launcher, LaunchHandle } from '@standin/control-plane/platform/ports.ts'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { buildStandInImage, whyNoImage } from '../docker/stand-in-image.ts'
import { describeLauncher } from '../launcher-contract.ts'
import { kubernetesBench } from './bench.ts'
import { openRealCluster, type RealCluster, realConfig } from './real-cluster.ts'

const IMAGE = 'standin-test-stand-in-bot'
const config = realConfig()
const skipped = config === null ? 'KUBECONFIG names no cluster' : await whyNoImage()

let cluster: RealCluster

beforeAll(async () => {
  if (skipped !== null) return
  // The cluster's nodes use the same engine.
  await buildStandInImage(IMAGE)
  cluster = await openRealCluster(config!)
})

afterAll(async () => {
  if (skipped === null) await cluster.close()
})

describeLauncher(
  'Kubernetes',
  // Docker below a node writes long lines in pieces, and breaks characters there.
  async (limits) => ({ ...(await kubernetesBench(cluster, limits)), breaksCharacters: true }),
  skipped,
)

const ifCluster = test.skipIf(skipped !== null)

/** Checks that a real cluster behaves like the fake one in these cases. */
async function startOne(
  values: Partial<KubernetesLauncherSettings>,
): Promise<{ launcher: Launcher; handle: LaunchHandle }> {
  const bench = await kubernetesBench(cluster, { maxBots: null })
  onTestFinished(() => bench.close())
  const launcher = await bench.open(values)
  const job = bench.job('wait')
  return { launcher, handle: await launcher.start({ botId: job.bot_id, attempt: 1, job }) }
}

async function reasonOfEnd(launcher: Launcher, handle: LaunchHandle): Promise<string | null> {
  await expect.poll(async () => (await launcher.inspect(handle)).state, { timeout: 90_000 }).toBe('ended')
  const state = await launcher.inspect(handle)
  return state.state === 'ended' ? state.evidence.reason : null
}

ifCluster('a bot that no node takes counts as running, and was stopped before it ran', async () => {
  const { launcher, handle } = await startOne({ nodeSelector: { 'standin.test/pool': 'nowhere' } })
  await expect.poll(() => launcher.capacity(), { timeout: 60_000 }).toEqual({ free: 9, limit: 10 })
  expect(await launcher.inspect(handle)).toEqual({ state: 'running' })
  await launcher.stop(handle, 120_000)
  expect(await reasonOfEnd(launcher, handle)).toMatch(
    /^The bot was stopped before it ran: no node had room \(Unschedulable: /,
  )
  await launcher.clean(handle)
  expect(await launcher.list()).toEqual([])
})

ifCluster('an image that is missing ends the bot with a sentence', async () => {
  const { launcher, handle } = await startOne({ image: 'standin-no-such-image:1' })
  expect(await reasonOfEnd(launcher, handle)).toMatch(
    /^The image cannot be used: ErrImageNeverPull: .*standin-no-such-image/,
  )
})

ifCluster(
  'quotas are no failure: of Jobs the bot waits at the service, of pods at the cluster, with its words',
  async () => {
    const { namespace, admin } = cluster
    const quota = async (hard: Record<string, string>) => {
      const metadata = { name: 'bots' }
      await admin.core.createNamespacedResourceQuota({ namespace, body: { metadata, spec: { hard } } })
      const { core } = admin
      const isCounted = async () => (await core.readNamespacedResourceQuota({ name: 'bots', namespace })).status?.hard
      await expect.poll(isCounted, { timeout: 60_000 }).toEqual(hard)
    }
    const removeQuota = () => admin.core.deleteNamespacedResourceQuota({ name: 'bots', namespace })
    await quota({ 'count/jobs.batch': '0' })
    try {
      const refused = { name: 'NoRoom', message: expect.stringContaining('exceeded quota: bots') }
      await expect(startOne({})).rejects.toMatchObject(refused)
    } finally {
      await removeQuota()
    }
    await quota({ pods: '0' })
    try {
      const { launcher, handle } = await startOne({})
      await expect.poll(() => launcher.capacity(), { timeout: 60_000 }).toEqual({ free: 9, limit: 10 })
      await launcher.stop(handle, 120_000)
      expect(await reasonOfEnd(launcher, handle)).toMatch(/^The bot was stopped before it ran: .*exceeded quota: bots/)
    } finally {
      await removeQuota()
    }
  },
)
