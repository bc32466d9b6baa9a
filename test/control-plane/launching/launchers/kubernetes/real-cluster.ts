/** The cluster that `KUBECONFIG` names, with a namespace for one run and the rights of the chart alone. */
import { randomUUID } from 'node:crypto'
import {
  KubeConfig,
  KubernetesObjectApi,
  loadAllYaml,
  PatchStrategy,
  setHeaderOptions,
  type V1RoleBinding,
} from '@kubernetes/client-node'
import { connectCluster, statusOf } from '@standin/control-plane/launching/launchers/kubernetes/cluster.ts'
import type { LaunchHandle } from '@standin/control-plane/platform/ports.ts'
import { expect } from 'vitest'
import { template } from '../../../../docker/manifests.ts'
import type { ClusterUnderTest } from './bench.ts'

const ACCOUNT = 'standin-launcher'

export function realConfig(): KubeConfig | null {
  if (!process.env.KUBECONFIG) return null
  const config = new KubeConfig()
  config.loadFromFile(process.env.KUBECONFIG)
  return config
}

export interface RealCluster extends ClusterUnderTest {
  namespace: string
  /** With every right, for actions that a launcher may not do. */
  admin: ReturnType<typeof connectCluster>
  close(): Promise<void>
}

export async function openRealCluster(config: KubeConfig): Promise<RealCluster> {
  const admin = connectCluster(config)
  const { core, batch } = admin
  const namespace = `standin-test-${randomUUID().slice(0, 8)}`
  await core.createNamespace({ body: { metadata: { name: namespace } } })
  const objects = KubernetesObjectApi.makeApiClient(config)
  for (const object of loadAllYaml(template('one-node', '--show-only', 'templates/rights.yaml'))) {
    object.metadata.namespace = namespace
    for (const subject of (object as V1RoleBinding).subjects ?? []) subject.namespace = namespace
    await objects.create(object)
  }
  const body = { spec: { audiences: [], expirationSeconds: 7200 } }
  const { status } = await core.createNamespacedServiceAccountToken({ name: ACCOUNT, namespace, body })
  const { hostname, port } = new URL(config.getCurrentCluster()!.server)
  const limited = new KubeConfig()
  limited.loadFromClusterAndUser(config.getCurrentCluster()!, { name: ACCOUNT, token: status!.token })

  async function cleanUp(installation: string): Promise<void> {
    const query = { namespace, labelSelector: `standin.installation=${installation}` }
    await batch.deleteCollectionNamespacedJob({ ...query, propagationPolicy: 'Background' })
    const headers = setHeaderOptions('Content-Type', PatchStrategy.MergePatch)
    await expect
      .poll(
        async () => {
          const { items } = await core.listNamespacedPod(query)
          for (const { metadata } of items) {
            const name = metadata!.name!
            await core.deleteNamespacedPod({ name, namespace, gracePeriodSeconds: 1 }).catch(unlessMissing)
            await core
              .patchNamespacedPod({ name, namespace, body: { metadata: { finalizers: null } } }, headers)
              .catch(unlessMissing)
          }
          return items.length
        },
        { timeout: 60_000, interval: 500 },
      )
      .toBe(0)
  }

  return {
    namespace,
    admin,
    config: limited,
    target: { host: hostname, port: Number(port) },
    settings: { namespace },
    cleanUp,
    async logOf({ name }: LaunchHandle) {
      const { items } = await core.listNamespacedPod({ namespace, labelSelector: `job-name=${name}` })
      const logs = await Promise.all(
        items.map(({ metadata }) => core.readNamespacedPodLog({ name: metadata!.name!, namespace }).catch(() => '')),
      )
      return logs.join('')
    },
    async close() {
      await core.deleteNamespace({ name: namespace })
    },
  }
}

function unlessMissing(error: unknown): void {
  if (statusOf(error) !== 404) throw error
}
