/** The Kubernetes launcher on a fake cluster: the contract of all launchers, and what only a cluster does. */
import { fileURLToPath } from 'node:url'
import { KubeConfig } from '@kubernetes/client-node'
import { readKubeConfig } from '@standin/control-plane/launching/launchers/kubernetes/cluster.ts'
import {
  createKubernetesLauncher,
  type KubernetesLauncherSettings,
} from '@standin/control-plane/launching/launchers/kubernetes/launcher.ts'
import type { EndEvidence, Launcher, LaunchHandle } from '@standin/control-plane/platform/ports.ts'
import { expect, onTestFinished, test } from 'vitest'
import { describeLauncher, plainJob } from '../launcher-contract.ts'
import { type KubernetesBench, kubernetesBench } from './bench.ts'
import { FakeCluster } from './fake-cluster.ts'
import { MISSING_IMAGE } from './fake-node.ts'

const PROGRAM = fileURLToPath(new URL('../stand-in-bot.mjs', import.meta.url))

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

test('the description of a bot shows its limits, and no secret but a token that was used', async () => {
  const { open: openLauncher, offers, cluster, whenWaiting } = await open()
  const environment = {
    DATABASE_URL: 'postgres://secret',
    STANDIN_SECRET_KEYS: 'id:secret',
    STANDIN_TRANSCRIPTION_KEY: 'secret',
    AWS_SECRET_ACCESS_KEY: 'secret',
    TZ: 'Europe/Berlin',
  }
  const launcher = await openLauncher({
    environment,
    mapHosts: ['meet.google.com=127.0.0.1:9'],
    nodeSelector: { pool: 'bots' },
    tolerations: [{ key: 'pool', value: 'bots', effect: 'NoSchedule' }],
    serviceAccount: 'bots',
    pullSecret: 'registry',
  })
  const job = plainJob({
    storage: {
      type: 's3',
      bucket: 'calls',
      access_key_id: 'id',
      secret_access_key: 'secret',
      session_token: 'secret-token',
    },
    transcription: { provider: 'deepgram', api_key: 'secret-key' },
    extra: { does: 'wait' },
  })
  const handle = await launcher.start({ botId: job.bot_id, attempt: 1, job })
  await whenWaiting(handle)
  expect(JSON.stringify([cluster.jobs, cluster.pods, handle])).not.toContain('secret')
  const token = offers.tokens.get(job.bot_id)!
  const again = await fetch(offers.addressOf(job.bot_id, 1), { headers: { authorization: `Bearer ${token}` } })
  expect(again.status).toBe(410)

  const [made] = cluster.jobs
  expect(made!.metadata.labels).toMatchObject({ 'standin.bot': job.bot_id, 'standin.attempt': '1' })
  expect(made!.spec).toMatchObject({ backoffLimit: 0, completions: 1, ttlSecondsAfterFinished: 86_400 })
  // Every limit of its job, and a day of pause.
  expect(made!.spec.activeDeadlineSeconds).toBeGreaterThan(14_400 + 86_400)
  const pod = made!.spec.template.spec
  expect(pod).toMatchObject({
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: 120,
    automountServiceAccountToken: false,
    serviceAccountName: 'bots',
    imagePullSecrets: [{ name: 'registry' }],
    nodeSelector: { pool: 'bots' },
    tolerations: [{ key: 'pool', operator: 'Equal', value: 'bots', effect: 'NoSchedule' }],
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  })
  expect(pod.containers[0]).toMatchObject({
    args: ['join', '--map-host', 'meet.google.com=127.0.0.1:9'],
    imagePullPolicy: 'Never',
    resources: { requests: { cpu: '10m', memory: '134217728' }, limits: { cpu: '1', memory: '134217728' } },
    securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
  })
})

test('the log of a bot that is asked to end is kept up to its last line', async () => {
  const { launcher, start, whenWaiting } = await open()
  const handle = await start(launcher, 'wait')
  await whenWaiting(handle)
  await launcher.stop(handle, 120_000)
  expect((await ended(launcher, handle)).logTail).toMatch(/waiting\nSIGTERM\n$/)
})

test('a pod that is removed from outside leaves its evidence; the one in its place is not the bot, and both are cleaned', async () => {
  const { launcher, start, whenWaiting, cluster, offers } = await open()
  const handle = await start(launcher, 'wait')
  await whenWaiting(handle)
  cluster.evict(cluster.pods[0]!.metadata.name)
  await expect.poll(() => cluster.pods.length).toBe(2)
  const evidence = await ended(launcher, handle)
  expect(evidence).toMatchObject({
    exitCode: 0,
    reason: 'The bot ended with code 0, after a person or another program removed its pod',
  })
  expect(offers.open()).toEqual([])
  await expect.poll(() => cluster.pods.every(({ status }) => status.phase !== 'Running')).toBe(true)
  await launcher.clean(handle)
  expect([cluster.jobs, cluster.pods]).toEqual([[], []])
})

test('a Job that is removed from outside leaves its pod, which is found, judged and cleaned', async () => {
  const { launcher, start, whenWaiting, cluster, installation } = await open()
  const handle = await start(launcher, 'wait')
  await whenWaiting(handle)
  const { name } = cluster.jobs[0]!.metadata
  await fetch(`http://127.0.0.1:${cluster.port}/apis/batch/v1/namespaces/bots/jobs/${name}`, { method: 'DELETE' })
  expect(await ended(launcher, handle)).toMatchObject({ exitCode: 0 })
  expect((await launcher.list()).map((each) => each.handle)).toEqual([handle])
  await launcher.clean(handle)
  expect(cluster.pods.filter(({ metadata }) => metadata.labels['standin.installation'] === installation)).toEqual([])
})

test('a bot on a node that does not report is unknown, and ended when the node is gone', async () => {
  const { launcher, start, whenWaiting, cluster } = await open()
  const handle = await start(launcher, 'wait')
  await whenWaiting(handle)
  cluster.silenceNode()
  await expect
    .poll(() => launcher.inspect(handle))
    .toEqual({ state: 'unknown', reason: 'The node node-1 does not answer' })
  cluster.removeNode()
  const { exitCode, signal, reason } = await ended(launcher, handle)
  expect([exitCode, signal]).toEqual([null, null])
  expect(reason).toMatch(/^The node node-1 of the bot is gone/)
  await launcher.clean(handle)
  expect(cluster.pods).toEqual([])
})

test('an image that is missing ends the bot with a sentence, and its job cannot be fetched', async () => {
  const { open: openLauncher, start, offers, cluster } = await open()
  const launcher = await openLauncher({ image: MISSING_IMAGE })
  const handle = await start(launcher, 'wait')
  const evidence = await ended(launcher, handle)
  expect(evidence.reason).toMatch(/^The image cannot be used: ErrImageNeverPull: .*standin-no-such-image/)
  expect(evidence.exitCode).toBe(null)
  expect(offers.open()).toEqual([])
  await launcher.clean(handle)
  expect([cluster.jobs, cluster.pods]).toEqual([[], []])
})

test('a full quota is no failure: the bot waits', async () => {
  const { launcher, start, cluster } = await open()
  cluster.jobQuota = 1
  await start(launcher, 'wait')
  await expect(start(launcher, 'exit:0')).rejects.toMatchObject({
    name: 'NoRoom',
    message: expect.stringMatching(/^The namespace bots has no room: .*exceeded quota: bots/),
  })
  cluster.jobQuota = 2
  expect(await ended(launcher, await start(launcher, 'exit:0'))).toMatchObject({ exitCode: 0 })
})

test('some bots may wait for a node, further ones wait at the service with the reason, and start when there is room', async () => {
  const { launcher, start, cluster } = await open()
  cluster.nodeRoom = 0
  const waiting = await Promise.all(Array.from({ length: 10 }, () => start(launcher, 'exit:0')))
  expect(await launcher.inspect(waiting[0]!)).toEqual({ state: 'running' })
  const full = {
    free: 0,
    limit: 10,
    reason: expect.stringMatching(/^No node has room: Unschedulable: .*Insufficient cpu/),
  }
  await expect.poll(() => launcher.capacity()).toEqual(full)
  await expect(start(launcher, 'exit:0')).rejects.toMatchObject({
    name: 'NoRoom',
    message: expect.stringMatching(/^No node/),
  })

  await launcher.stop(waiting[0]!, 120_000)
  const { reason } = await ended(launcher, waiting[0]!)
  expect(reason).toMatch(/^The bot was stopped before it ran: no node had room \(Unschedulable/)

  cluster.nodeRoom = 2
  cluster.reschedule()
  for (const handle of waiting.slice(1)) expect(await ended(launcher, handle)).toMatchObject({ exitCode: 0 })
  expect(await launcher.capacity()).toBe(null)
  expect(await ended(launcher, await start(launcher, 'exit:3'))).toMatchObject({ exitCode: 3 })
})

test('a full quota of pods is reported in the words of the cluster, and ends no bot', async () => {
  const { launcher, start, cluster } = await open()
  cluster.podQuota = 0
  const waiting = await Promise.all(Array.from({ length: 10 }, () => start(launcher, 'exit:0')))
  const reason = 'The cluster makes no pod: Error creating: pods is forbidden: exceeded quota: bots, requested: pods=1'
  await expect.poll(() => launcher.capacity()).toEqual({ free: 0, limit: 10, reason })
  expect(await launcher.inspect(waiting[0]!)).toEqual({ state: 'running' })
  await launcher.stop(waiting[0]!, 120_000)
  expect((await ended(launcher, waiting[0]!)).reason).toMatch(/^The bot was stopped before it ran: .*exceeded quota/)
  cluster.podQuota = 100
  cluster.reschedule()
  expect(await ended(launcher, waiting[1]!)).toMatchObject({ exitCode: 0 })
})

test('a bot that is asked to end while it is made is not started', async () => {
  const { open: openLauncher, offers, start, cluster } = await open()
  const launcher: Launcher = await openLauncher({
    offers: {
      ...offers,
      async offer(spec, token) {
        await offers.offer(spec, token)
        await launcher.kill({ name: `standin-${spec.botId}-1`, namespace: 'bots' })
      },
    },
  })
  await expect(start(launcher, 'wait')).rejects.toThrow(/^The Job of the bot could not be started: .*testing value/)
  expect(cluster.pods).toEqual([])
  expect(offers.open()).toEqual([])
})

test('what the account may not do is said, and is not taken for a full cluster', async () => {
  const { open: openLauncher, launcher, start, cluster } = await open()
  cluster.forbidden.add('create jobs')
  await expect(start(launcher, 'wait')).rejects.toThrow(
    /^The Job of the bot could not be made: .*cannot create resource "jobs"/,
  )
  cluster.forbidden.add('list pods')
  await expect(openLauncher()).rejects.toThrow(/^The Kubernetes cluster cannot be used: .*cannot list.*rights\.yaml/)
})

test('watches that are cut off by the cluster are started again, and lists come in pages', async () => {
  const { launcher, reopen, start, whenWaiting, cluster } = await open(20)
  cluster.pageSize = 2
  const handles = await Promise.all(Array.from({ length: 5 }, () => start(launcher, 'wait')))
  expect((await launcher.list()).map(({ handle }) => handle.name).sort()).toEqual(
    handles.map(({ name }) => name).sort(),
  )
  for (const handle of handles) await whenWaiting(handle)
  cluster.compact()
  await launcher.kill(handles[0]!)
  await ended(launcher, handles[0]!)
  await expect.poll(() => launcher.capacity()).toEqual({ limit: 20, free: 16 })
  expect(await (await reopen()).capacity()).toEqual({ limit: 20, free: 16 })
  // Running bots are known from the watch: the cluster is not asked for each one.
  const asked = cluster.requests.length
  expect(await launcher.inspect(handles[1]!)).toEqual({ state: 'running' })
  expect(cluster.requests.slice(asked).filter((request) => !request.startsWith('watch'))).toEqual([])
})

test('names that are no names of bots are refused', async () => {
  const { launcher } = await open()
  await expect(launcher.kill({ name: '../../pods', namespace: 'bots' })).rejects.toThrow('is not the name of a bot')
  const reason = 'The bot belongs to the namespace another'
  expect(await launcher.inspect({ name: 'standin-x-1', namespace: 'another' })).toEqual({ state: 'unknown', reason })
})

test('a cluster that is not there, or not named, stops the start with a sentence', async () => {
  expect(() => readKubeConfig({})).toThrow(/^The Kubernetes cluster is not known: .*KUBECONFIG/)
  expect(() => readKubeConfig({ KUBECONFIG: '/nowhere/config' })).toThrow(
    /^The Kubernetes cluster cannot be used: .*\/nowhere/,
  )
  const config = new KubeConfig()
  const cluster = { name: 'gone', server: 'http://127.0.0.1:9', skipTLSVerify: true }
  config.loadFromClusterAndUser(cluster, { name: 'service', token: 'token' })
  const settings = { config, namespace: 'bots', installation: 'x', log: { info() {}, warn() {}, error() {} } }
  await expect(createKubernetesLauncher(settings as unknown as KubernetesLauncherSettings)).rejects.toThrow(
    /^The Kubernetes cluster cannot be used: .*127\.0\.0\.1:9/,
  )
})
