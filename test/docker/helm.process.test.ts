/** Rules for every way to run the service on Kubernetes, and what the Helm chart refuses. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { LAUNCHERS, ROLES, readServiceConfig } from '../../control-plane/main/config/config.ts'
import { packageRoot } from '../../packages/core/process/page-scripts.ts'
import { CHART, type Document, type Pod, podsOf, render, template, valuesFile } from './manifests.ts'
import { matches, type Place, passes } from './network.ts'
import { helm } from './tools.ts'

const sources = globSync('{control-plane,src}/**/*.ts', { cwd: packageRoot })
  .filter((path) => !path.includes('node_modules'))
  .map((path) => readFileSync(join(packageRoot, path), 'utf8'))
  .join('\n')

/** Variables that the programs of other images read. */
const OF_OTHERS = ['POSTGRES_USER', 'POSTGRES_DB', 'POSTGRES_PASSWORD', 'PGDATA', 'ACCESS_KEY', 'SECRET_KEY', 'BUCKET']
/** Variables with a secret value may be in a Secret only. */
const IS_SECRET = /KEY|PASSWORD|SECRET|TOKEN|DATABASE_URL/
const isSecret = (name: string) => IS_SECRET.test(name) && !/_URL$/.test(name.replace('DATABASE_URL', 'KEY'))

const givenValue = (container: Document, name: string) =>
  container.env?.find((one: Document) => one.name === name)?.value as string | undefined
const isOfService = ({ labels }: Pod) => labels['app.kubernetes.io/name'] === 'standin'
const rolesOf = (pods: readonly Pod[]) =>
  pods.flatMap(({ containers }) => containers.flatMap((one) => givenValue(one, 'STANDIN_ROLES')?.split(',') ?? []))

/** As the launcher labels the pods of bots. */
const BOT_LABELS = { 'app.kubernetes.io/name': 'standin', 'app.kubernetes.io/component': 'bot' }
const BOT: Place = { pod: { namespace: 'standin-bots', labels: BOT_LABELS }, address: '10.42.0.9' }
const IN_CLUSTER = ['10.42.0.7', '172.20.3.4', '192.168.64.2', '100.64.1.1', 'fd00:10:244::5']
const outside = (address: string): Place => ({ pod: null, address })

describe.each([['one-node'], ['cluster'], ['cluster', '--set', 'headroom.keda.enabled=true']])(
  '%s %s %s',
  (name, ...options) => {
    const documents = render(name, ...options)
    const pods = podsOf(documents)
    const containers = pods.flatMap((pod) => pod.containers.map((container) => ({ pod, container })))

    test('every role runs exactly once', () => {
      expect(rolesOf(pods).sort()).toEqual([...ROLES].sort())
    })

    test('no manifest contains a secret', () => {
      expect(documents.filter(({ kind }) => kind === 'Secret')).toEqual([])
      const settings = documents
        .filter(({ kind }) => kind === 'ConfigMap')
        .flatMap(({ data }) => Object.keys(data ?? {}))
      expect(settings.filter(isSecret)).toEqual([])
      const environment = pods.flatMap(({ containers }) => containers.flatMap(({ env = [] }) => env as Document[]))
      const secrets = environment.filter(({ name }) => isSecret(name))
      expect(secrets.length).toBeGreaterThan(4)
      expect(secrets.filter(({ value, valueFrom }) => value !== undefined || !valueFrom?.secretKeyRef)).toEqual([])
      expect(JSON.stringify(documents)).not.toMatch(/:\/\/[^/"@]*:[^/"@]*@/)
    })

    test('every variable is one that a program reads', () => {
      const environment = pods.flatMap(({ containers }) => containers.flatMap(({ env = [] }) => env as Document[]))
      const settings = documents
        .filter(({ kind }) => kind === 'ConfigMap')
        .flatMap(({ data }) => Object.keys(data ?? {}))
      const names = new Set([...environment.map(({ name }) => name as string), ...settings])
      expect(names).toContain('STANDIN_ROLES')
      const isRead = (name: string) => OF_OTHERS.includes(name) || new RegExp(`\\b${name}\\b`).test(sources)
      expect([...names].filter((name) => !isRead(name))).toEqual([])
    })

    test('of the cluster, bots reach control links and storage, and nothing else on any port', () => {
      const reached = pods.flatMap((pod) =>
        [53, 443, 5432, 6443, 8080, 9000]
          .filter((port) => IN_CLUSTER.some((address) => passes(documents, BOT, { pod, address }, { port })))
          .map((port) => `${pod.name}:${port}`),
      )
      const storage = pods.some(({ name }) => name === 'standin-storage') ? ['standin-storage:9000'] : []
      expect(reached.sort()).toEqual(['standin-links:8080', ...storage])
    })

    test('bots may not even try: their own policies name no address of the cluster', () => {
      const own = documents.filter(({ metadata }) => metadata?.namespace === 'standin-bots')
      for (const address of [...IN_CLUSTER, '169.254.169.254', '127.0.0.1'])
        expect(passes(own, BOT, outside(address), { port: 5432 }), address).toBe(false)
      for (const address of ['142.250.74.110', '2a00:1450:4001:80b::200e'])
        expect(passes(own, BOT, outside(address), { port: 19_305, protocol: 'UDP' }), address).toBe(true)
    })

    test('no bot is evicted, and the budget names the labels that bots have', () => {
      const [budget] = documents.filter(
        ({ kind, metadata }) => kind === 'PodDisruptionBudget' && metadata.namespace === 'standin-bots',
      )
      expect(budget!.spec.minAvailable).toBeGreaterThan(100_000)
      // An empty selector means all pods to one version of Kubernetes, and none to an older one.
      expect(budget!.spec.selector.matchLabels).toEqual(BOT_LABELS)
    })

    test('no pod or address can connect to a bot', () => {
      const from = { pod: { namespace: 'standin', labels: {} }, address: '10.42.0.3' }
      expect(passes(documents, from, BOT, { port: 8080 })).toBe(false)
      expect(passes(documents, outside('203.0.113.9'), BOT, { port: 8080 })).toBe(false)
    })

    test('the API answers the proxies of the cluster', () => {
      const api = pods.find(({ name }) => name === 'standin-api')!
      const proxy = { pod: { namespace: 'ingress-nginx', labels: {} }, address: '10.42.0.4' }
      expect(passes(documents, proxy, { pod: api, address: '10.42.0.7' }, { port: 8080 })).toBe(true)
    })

    test('a policy that lets bots everywhere is noticed', () => {
      const open = {
        kind: 'NetworkPolicy',
        metadata: { name: 'open', namespace: 'standin-bots' },
        spec: { podSelector: {}, policyTypes: ['Egress'], egress: [{}] },
      }
      const links = pods.find(({ name }) => name === 'standin-links')!
      const to = { pod: links, address: '10.42.0.7' }
      expect(passes(documents, BOT, outside('10.42.0.7'), { port: 5432 })).toBe(false)
      expect(passes([...documents, open], BOT, outside('10.42.0.7'), { port: 5432 })).toBe(true)
      // The other end has a word in it too.
      expect(passes([...documents, open], BOT, to, { port: 5432 })).toBe(false)
    })

    test('nothing but the launcher has an account, and that one is bound in the namespace of bots alone', () => {
      const withAccount = pods.filter(({ spec }) => spec.serviceAccountName !== undefined)
      expect(withAccount.map(({ name, spec }) => [name, spec.serviceAccountName])).toEqual([
        ['standin-launcher', 'standin-launcher'],
      ])
      const bindings = documents.filter(({ kind }) => /RoleBinding$/.test(kind))
      expect(bindings.length).toBeGreaterThan(0)
      for (const { kind, metadata, subjects } of bindings) {
        expect(kind).toBe('RoleBinding')
        expect(metadata.namespace).toBe('standin-bots')
        expect(subjects).toEqual([{ kind: 'ServiceAccount', name: 'standin-launcher', namespace: 'standin' }])
      }
    })

    test('nothing runs as root, with privileges, or on a root that can be written', () => {
      expect(containers.length).toBeGreaterThan(ROLES.length)
      for (const { pod, container } of containers) {
        const place = `${pod.name}/${container.name}`
        expect(pod.spec.securityContext, place).toMatchObject({
          runAsNonRoot: true,
          seccompProfile: { type: 'RuntimeDefault' },
        })
        expect(pod.spec.securityContext.runAsUser, place).toBeGreaterThan(0)
        expect(container.securityContext, place).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        })
        expect(pod.spec.enableServiceLinks, place).toBe(false)
        expect(pod.spec.automountServiceAccountToken, place).toBe(pod.name === 'standin-launcher')
      }
    })

    test('everything says what it needs, and what memory it may take', () => {
      for (const { pod, container } of containers) {
        const place = `${pod.name}/${container.name}`
        expect(container.resources?.requests, place).toMatchObject({
          cpu: expect.any(String),
          memory: expect.any(String),
        })
        expect(container.resources?.limits?.memory, place).toEqual(expect.any(String))
      }
    })

    test('every process of the service migrates first, is asked how it is, and has time to end', () => {
      const service = pods.filter(isOfService)
      expect(service).toHaveLength(ROLES.length)
      for (const { name, spec } of service) {
        expect(spec.initContainers, name).toMatchObject([{ name: 'migrate', args: ['migrate'] }])
        const [container] = spec.containers
        expect(container.livenessProbe.httpGet.path, name).toBe('/healthz')
        expect(container.startupProbe.httpGet.path, name).toBe('/healthz')
        expect(container.readinessProbe.httpGet.path, name).toBe('/readyz')
        const settle = Number(container.lifecycle.preStop.exec.command[1])
        const grace = Number(/const GRACE_MS = (\d+)_000/.exec(sources)![1])
        expect(spec.terminationGracePeriodSeconds, name).toBeGreaterThan(settle + grace)
      }
    })

    test('each image is named in one place', () => {
      const settings = documents.find(({ kind }) => kind === 'ConfigMap')!.data
      const images = (name: RegExp) =>
        new Set(containers.map(({ container }) => container.image as string).filter((image) => name.test(image)))
      expect([...images(/(^|\/)standin-service[:@]/)]).toHaveLength(1)
      expect(settings.STANDIN_BOT_IMAGE).toMatch(/(^|\/)standin[:@]/)
      expect([...images(/(^|\/)standin[:@]/)].filter((image) => image !== settings.STANDIN_BOT_IMAGE)).toEqual([])
      const allowed = /(^|\/)(standin-service|standin|standin-s3-server|postgres)[:@]/
      expect(containers.map(({ container }) => container.image).filter((image) => !allowed.test(image))).toEqual([])
    })

    test('what selects pods selects some', () => {
      const selects = documents.flatMap(({ kind, metadata, spec }) => {
        if (metadata.namespace !== 'standin' || metadata.name === 'standin-nobody') return []
        if (kind === 'Service') return [{ name: `${kind} ${metadata.name}`, selector: { matchLabels: spec.selector } }]
        if (kind === 'PodDisruptionBudget') return [{ name: `${kind} ${metadata.name}`, selector: spec.selector }]
        if (kind === 'NetworkPolicy') return [{ name: `${kind} ${metadata.name}`, selector: spec.podSelector }]
        return []
      })
      expect(selects.length).toBeGreaterThan(4)
      const idle = selects.filter(({ selector }) => !pods.some(({ labels }) => matches(selector, labels)))
      expect(idle.map(({ name }) => name)).toEqual([])
    })

    test('the service takes its settings', () => {
      const { data } = documents.find(({ kind }) => kind === 'ConfigMap')!
      const secrets = {
        DATABASE_URL: 'postgresql://standin@database/standin',
        STANDIN_SECRET_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
      }
      // Another launcher where this version has not this one: it asks for the same settings.
      const launcher = LAUNCHERS.find((one) => one === data.STANDIN_LAUNCHER) ?? 'docker'
      for (const role of ROLES) {
        const environment = { ...data, ...secrets, STANDIN_ROLES: role, STANDIN_LAUNCHER: launcher }
        const config = readServiceConfig({}, environment, '/')
        expect([...config.roles]).toEqual([role])
        expect(config.storage.type, 'pods share no folder').toBe('s3')
        expect(config.botPod.namespace).toBe('standin-bots')
      }
    })

    test('autoscalers, ingresses and pods name what exists', () => {
      const names = (kind: string) => documents.filter((one) => one.kind === kind).map(({ metadata }) => metadata.name)
      const scaled = documents.filter(({ kind }) => kind === 'HorizontalPodAutoscaler')
      for (const { spec } of scaled) {
        const target = documents.find(
          ({ kind, metadata }) => kind === spec.scaleTargetRef.kind && metadata.name === spec.scaleTargetRef.name,
        )
        expect(target, spec.scaleTargetRef.name).toBeDefined()
        expect(target!.spec.replicas, 'the autoscaler decides').toBeUndefined()
      }
      for (const { spec } of documents.filter(({ kind }) => kind === 'Ingress'))
        for (const { path, backend } of spec.rules.flatMap((rule: Document) => rule.http.paths))
          expect(names('Service'), path).toContain(backend.service.name)
      for (const { name, spec, containers: own } of pods) {
        if (spec.priorityClassName) expect(names('PriorityClass'), name).toContain(spec.priorityClassName)
        const sources = own.flatMap(({ envFrom = [] }) => envFrom as Document[])
        for (const { configMapRef, secretRef } of sources) {
          // The operator makes it, or does without.
          if (secretRef) expect(secretRef.optional, name).toBe(true)
          else expect(names('ConfigMap'), name).toContain(configMapRef.name)
        }
      }
    })
  },
)

const CHECKSUM = 'checksum/settings'

test('a changed setting changes the pods of each role, and nothing else does', () => {
  const checksums = (setting: string): string[] =>
    render('cluster', '--set', setting).flatMap(({ spec }) => spec?.template?.metadata?.annotations?.[CHECKSUM] ?? [])
  const [first, ...others] = checksums('settings.STANDIN_MAX_BOTS=2')
  expect(others).toEqual(Array.from({ length: 4 }, () => first))
  expect(checksums('settings.STANDIN_MAX_BOTS=3')).not.toContain(first)
  expect(checksums('settings.STANDIN_MAX_BOTS=2,roles.api.replicas=3')).toEqual([first, ...others])
})

test('a release in another namespace names no address and no policy of this one', () => {
  const text = template('one-node', '--namespace', 'meetings', '--set', 'bots.namespace=meeting-bots')
  expect(text).not.toMatch(/\bnamespace: standin\b|\.standin\.svc|name: standin-bots\n.*pod-security|standin-bots\]/)
  expect(text).toContain('ws://standin-links.meetings.svc:8080/link')
})

test('Helm finds nothing to complain about', () => {
  for (const name of ['one-node', 'cluster'])
    expect(helm('lint', '--strict', '--quiet', CHART, '-f', valuesFile(name))).not.toMatch(/WARNING|ERROR/)
})

test.each([
  ['a misspelled value', 'imagess.service=a', /imagess/],
  ['a misspelled role', 'roles.dispacher.replicas=2', /dispacher/],
  ['a number of replicas that is none', 'roles.api.replicas=many', /replicas/],
  ['a setting with a list', 'settings.STANDIN_TRUSTED_PROXIES={a,b}', /STANDIN_TRUSTED_PROXIES/],
  ['a secret among the settings', 'settings.DATABASE_URL=postgres://a:b@c/d', /DATABASE_URL/],
  ['a key among the settings', 'settings.STANDIN_DEEPGRAM_KEY=abc', /STANDIN_DEEPGRAM_KEY/],
  ['a pull policy that does not exist', 'imagePullPolicy=Sometimes', /imagePullPolicy/],
  ['bots in the namespace of the service', 'bots.namespace=standin', /namespace/],
  ['no host for the ingress', 'ingress.enabled=true', /ingress\.host/],
  ['no image', 'images.bot=', /images\.bot/],
])('%s is refused', (_, value, reason) => {
  expect(() => template('one-node', '--set', value)).toThrow(reason)
})

test('the chart has the version of the program', () => {
  const { version } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string }
  const chart = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8'))
  expect(chart).toMatchObject({ version, appVersion: version })
})
