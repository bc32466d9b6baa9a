/** docker/compose.yaml: recordings play in the dashboard of the machine, and compose knows when everything is ready. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readServiceConfig } from '@standin/control-plane/main/config/config.ts'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { packageRoot } from '../../packages/core/process/page-scripts.ts'

interface Service {
  environment: Record<string, string | null>
  ports?: string[]
  healthcheck?: { test: string[] }
  depends_on?: Record<string, { condition: string }>
}
const text = (path: string) => readFileSync(join(packageRoot, path), 'utf8')
const compose = text('docker/compose.yaml')
/** Variables as compose fills them in without `.env`. */
const filled = compose.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1')
const { services } = parse(filled) as { services: Record<string, Service> }

test('links to recordings lead to the address at which the machine reaches the service', () => {
  const { environment, ports } = services.service!
  const given = Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== null)
  // The image sets these.
  const image = { STANDIN_DATA: '/data', STANDIN_HOST: '0.0.0.0', STANDIN_LAUNCHER: 'docker' }
  const config = readServiceConfig({}, { ...image, ...Object.fromEntries(given) }, '/')
  expect(config.storage).toMatchObject({ type: 's3', isServed: true })
  const { hostname, port } = new URL(config.publicUrl!)
  expect(ports).toEqual([`${hostname}:${port}:${config.port}`])
})

test('every service that runs on has a health check, and those that need another wait for it', () => {
  for (const [name, { healthcheck, depends_on: needed = {} }] of Object.entries(services)) {
    expect(healthcheck !== undefined, name).toBe(name !== 'bucket')
    // Without quotes YAML reads a part with a colon and a blank as a mapping, which compose refuses.
    for (const part of healthcheck?.test ?? []) expect(part, name).toBeTypeOf('string')
    for (const [other, { condition }] of Object.entries(needed))
      expect(condition).toBe(other === 'bucket' ? 'service_completed_successfully' : 'service_healthy')
  }
})

test('docker/env.example has variables of the file, and none that it does not read', () => {
  const read = new Set([
    ...[...compose.matchAll(/\$\{(\w+)/g)].map(([, name]) => name!),
    ...Object.entries(services.service!.environment).flatMap(([name, value]) => (value === null ? [name] : [])),
  ])
  const named = [...text('docker/env.example').matchAll(/^#?([A-Z]\w+)=/gm)].map(([, name]) => name!)
  expect(named).toContain('DOCKER_GROUP')
  expect(named.filter((name) => !read.has(name))).toEqual([])
})
