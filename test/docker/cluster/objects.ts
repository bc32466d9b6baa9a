/** Objects of the trial cluster: the chart for one node, and beside it what the trial needs. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { packageRoot } from '../../../packages/core/process/page-scripts.ts'
import { type Document, render } from '../manifests.ts'
import { HOST_PORT, MEETING_PORT } from './meeting-pod.ts'

/** Fixed, since the settings of bots name it. */
const MEETING_ADDRESS = '10.96.0.50'
const MEET_HOSTS = ['meet.google.com']
/** The database's volume and the storage, which is in memory, are on this node; the other one is drained. */
const KEPT_NODE = 'node1'
export const DRAINED_NODE = 'node2'

/** The chart with other settings and nodes, and with the version of an API that an old cluster has. */
export function chartObjects(apiVersions: readonly string[]): Document[] {
  const documents = render('one-node')
  for (const document of documents) {
    const { kind, metadata, spec } = document
    if (kind === 'ConfigMap')
      Object.assign(document.data, {
        STANDIN_MAP_HOSTS: MEET_HOSTS.map((host) => `${host}=${MEETING_ADDRESS}:${MEETING_PORT}`).join(','),
        // Webhooks go to the test.
        STANDIN_PRIVATE_ADDRESSES: 'allow',
      })
    if (spec?.template !== undefined) {
      const preference = { matchExpressions: [{ key: 'trial/node', operator: 'In', values: [DRAINED_NODE.slice(-1)] }] }
      Object.assign(
        spec.template.spec,
        /^standin-(?:database|storage)$/.test(metadata.name)
          ? { nodeSelector: { 'trial/node': KEPT_NODE.slice(-1) } }
          : {
              affinity: {
                nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, preference }] },
              },
            },
      )
    }
    if (kind === 'PodDisruptionBudget' && !apiVersions.includes('policy/v1')) document.apiVersion = 'policy/v1beta1'
  }
  return documents
}

export function trialObjects(folder: string): Document[] {
  const labels = { app: 'meeting' }
  const containers = [
    {
      name: 'meeting',
      image: 'standin',
      imagePullPolicy: 'Never',
      command: [join(packageRoot, 'node_modules/.bin/node')],
      args: [join(packageRoot, 'test/docker/cluster/meeting-pod.ts')],
      env: [{ name: 'POD_ADDRESS', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }],
      readinessProbe: { tcpSocket: { port: HOST_PORT } },
      volumeMounts: [{ name: 'checkout', mountPath: packageRoot, readOnly: true }],
    },
  ]
  const ports = [
    { name: 'meeting', port: MEETING_PORT },
    { name: 'host', port: HOST_PORT },
  ]
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'standin' } },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'standin-secrets', namespace: 'standin' },
      stringData: secrets(),
    },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'standin-trial' },
      spec: {
        capacity: { storage: '10Gi' },
        accessModes: ['ReadWriteOnce'],
        hostPath: { path: join(folder, 'volume') },
        claimRef: { namespace: 'standin', name: 'data-standin-database-0' },
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'meeting', namespace: 'default', labels },
      spec: {
        nodeSelector: { 'trial/node': KEPT_NODE.slice(-1) },
        containers,
        volumes: [{ name: 'checkout', hostPath: { path: packageRoot } }],
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'meeting', namespace: 'default' },
      spec: { clusterIP: MEETING_ADDRESS, selector: labels, ports },
    },
  ]
}

export const meetingAddress = `http://${MEETING_ADDRESS}:${HOST_PORT}`

/** As docs/kubernetes.md makes them. */
function secrets(): Record<string, string> {
  const password = randomBytes(24).toString('hex')
  return {
    DATABASE_URL: `postgresql://standin:${password}@standin-database.standin.svc:5432/standin`,
    POSTGRES_PASSWORD: password,
    STANDIN_SECRET_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    AWS_ACCESS_KEY_ID: 'standin',
    AWS_SECRET_ACCESS_KEY: randomBytes(24).toString('hex'),
  }
}
