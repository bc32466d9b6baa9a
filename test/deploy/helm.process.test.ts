/** The Helm chart renders the same objects as the kustomizations, and refuses values that it does not know. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { packageRoot } from '../../core/process/page-scripts.ts'
import { type Document, documentsOf, FOLDER, render, renderFolder } from './manifests.ts'
import { helm } from './tools.ts'

const CHART = join(packageRoot, 'deploy/helm/standin')
const IMAGES = ['--set', 'images.service=standin-service', '--set', 'images.bot=standin']
const values = (name: string) => ['-f', join(CHART, `values-${name}.yaml`)]

const template = (...options: string[]) =>
  documentsOf(helm('template', 'any-name', CHART, '--namespace', 'standin', ...options))

const nameOf = ({ kind, metadata }: Document) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`

/** Kustomize puts a hash of the settings into their name, Helm into an annotation of the pods. */
const HASHED = /^standin-settings-[a-z0-9]{10}$/
const CHECKSUM = 'checksum/settings'

/** The objects by name, so that their order does not count, and neither does that of named parts in a list. */
function objectsOf(documents: readonly Document[]): Record<string, unknown> {
  const entries = documents.map((document) => {
    const plain = plainOf(document) as Document
    delete plain.spec?.template?.metadata?.annotations?.[CHECKSUM]
    return [nameOf(plain), withoutEmpty(plain)] as const
  })
  const objects = Object.fromEntries(entries)
  expect(Object.keys(objects)).toHaveLength(documents.length)
  return objects
}

function plainOf(value: unknown): unknown {
  if (typeof value === 'string') return HASHED.test(value) ? 'standin-settings' : value
  if (Array.isArray(value)) {
    const parts = value.map(plainOf) as Document[]
    return parts.every((part) => typeof part?.name === 'string') ? parts.sort(byName) : parts
  }
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plainOf(one)]))
}
const byName = (a: Document, b: Document) => (a.name < b.name ? -1 : 1)

/** The annotations are empty if only the checksum was in them. */
function withoutEmpty(document: Document): Document {
  const metadata = document.spec?.template?.metadata
  if (metadata?.annotations && Object.keys(metadata.annotations).length === 0) delete metadata.annotations
  return document
}

/** A namespace in a release would be deleted with it, and with the Secrets of the operator. */
const withoutOwnNamespace = (documents: readonly Document[]) => {
  const others = documents.filter((document) => nameOf(document) !== 'Namespace /standin')
  expect(others).toHaveLength(documents.length - 1)
  return others
}

/** Renders a kustomization on top of others. */
function kustomize(content: object): Document[] {
  const folder = mkdtempSync(join(tmpdir(), 'standin-overlay-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const paths = (names: readonly string[] = []) => names.map((name) => relative(folder, join(FOLDER, name)))
  const { resources, components, ...others } = content as { resources: string[]; components?: string[] }
  const written = { ...others, resources: paths(resources), components: paths(components) }
  writeFileSync(join(folder, 'kustomization.yaml'), JSON.stringify(written))
  return renderFolder(folder)
}

test.each([
  ['the base', () => kustomize({ resources: ['base'] }), IMAGES],
  ['one node', () => render('one-node'), values('one-node')],
  ['a cluster', () => render('cluster'), values('cluster')],
  [
    'a cluster with KEDA',
    () => kustomize({ resources: ['overlays/cluster'], components: ['components/keda-headroom'] }),
    [...values('cluster'), '--set', 'headroom.keda.enabled=true'],
  ],
])('%s: the same objects', (_, kustomized, options) => {
  const expected = objectsOf(withoutOwnNamespace(kustomized()))
  expect(objectsOf(template(...options))).toEqual(expected)
})

test('one differing field, one more object and one missing object are noticed', () => {
  const documents = template(...values('one-node'))
  const objects = objectsOf(documents)
  expect(objectsOf(documents.slice(1))).not.toEqual(objects)
  for (const { spec } of documents.filter(({ kind }) => kind === 'Deployment')) {
    spec.template.spec.containers[0].env.reverse()
    expect(objectsOf(documents)).toEqual(objects)
    spec.template.spec.containers[0].securityContext.readOnlyRootFilesystem = 'true'
    expect(objectsOf(documents)).not.toEqual(objects)
    spec.template.spec.containers[0].securityContext.readOnlyRootFilesystem = true
  }
})

test('a changed setting changes the pods of each role, and nothing else does', () => {
  const checksums = (setting: string): string[] =>
    template(...IMAGES, '--set', setting).flatMap(({ spec }) => spec?.template?.metadata?.annotations?.[CHECKSUM] ?? [])
  const [first, ...others] = checksums('settings.STANDIN_MAX_BOTS=2')
  expect(others).toEqual(Array.from({ length: 4 }, () => first))
  expect(checksums('settings.STANDIN_MAX_BOTS=3')).not.toContain(first)
  expect(checksums('settings.STANDIN_MAX_BOTS=2,roles.api.replicas=3')).toEqual([first, ...others])
})

test('a release in another namespace names no address and no policy of this one', () => {
  const options = ['--namespace', 'meetings', '--set', 'bots.namespace=meeting-bots', ...values('one-node')]
  const text = helm('template', 'any-name', CHART, ...options)
  expect(text).not.toMatch(/\bnamespace: standin\b|\.standin\.svc|name: standin-bots\n.*pod-security|standin-bots\]/)
  expect(text).toContain('ws://standin-links.meetings.svc:8080/link')
})

test('Helm finds nothing to complain about', () => {
  for (const options of [IMAGES, values('one-node'), values('cluster')])
    expect(helm('lint', '--strict', '--quiet', CHART, ...options)).not.toMatch(/WARNING|ERROR/)
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
  expect(() => template(...IMAGES, '--set', value)).toThrow(reason)
})

test('the chart has the version of the program', () => {
  const { version } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string }
  const chart = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8'))
  expect(chart).toMatchObject({ version, appVersion: version })
})
