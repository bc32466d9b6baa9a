/** The shipped files for Prometheus and Grafana name metrics that a whole service really has. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startService } from '@standin/control-plane/main/wiring/service.ts'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { readServiceConfig } from '../../../../control-plane/main/config/config.ts'
import { newSealKey } from '../../../../control-plane/platform/secrets/seals.ts'
import { packageRoot } from '../../../../packages/core/process/page-scripts.ts'
import { atEnd, temporaryFolder } from '../../../fakes/at-end.ts'
import { openTestDatabase } from '../../postgres.ts'
import { samplesOf } from './scrape.ts'

const MONITORING = join(packageRoot, 'docker/monitoring')
const HEADROOM = 'docker/helm/standin/templates/headroom.yaml'
/** The series that a histogram makes. */
const PARTS = ['_bucket', '_sum', '_count']
const NAME = /\b(?:standin|nodejs|process)_[a-z0-9_]+/g
/** Matchers hold values, and names of labels. */
const withoutMatchers = (query: string) => query.replaceAll(/\{[^}]*\}/g, '')

interface Alert {
  alert: string
  expr: string
  labels: { severity: string }
  annotations: { summary?: string; description?: string; runbook_url?: string }
}

/** Names of metrics by their type. */
const types = new Map<string, string>()
const { groups } = parse(readFileSync(join(MONITORING, 'alert-rules.yaml'), 'utf8')) as { groups: { rules: Alert[] }[] }
const alerts = groups.flatMap(({ rules }) => rules)
const dashboard = JSON.parse(readFileSync(join(MONITORING, 'grafana-dashboard.json'), 'utf8')) as {
  panels: { title: string; type: string; id: number; targets?: { expr: string }[] }[]
}
const queries = dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })))

const base = temporaryFolder()
const db = await openTestDatabase()
const environment = { DATABASE_URL: db.url, STANDIN_SECRET_KEYS: newSealKey('k1') }
const config = readServiceConfig({ data: join(base, 'data'), port: '0' }, environment, '/')
const service = await startService(config, { PATH: process.env.PATH }, { info() {}, warn() {}, error() {} })
await fetch(`${service.address}v2/bots`)
const metrics = await (await fetch(`${service.address}metrics`)).text()
for (const [, name, type] of metrics.matchAll(/^# TYPE (\S+) (\S+)$/gm)) types.set(name!, type!)

atEnd(() => service.close())

function isThere(name: string): boolean {
  if (types.has(name)) return types.get(name) !== 'histogram'
  const part = PARTS.find((ending) => name.endsWith(ending))
  return part !== undefined && types.get(name.slice(0, -part.length)) === 'histogram'
}

function unknownIn(query: string): string[] {
  return [...withoutMatchers(query).matchAll(NAME)].map(([name]) => name).filter((name) => !isThere(name))
}

test('every query of the dashboard asks for metrics that the service has', () => {
  expect(queries.length).toBeGreaterThan(20)
  for (const { title, expr } of queries) {
    expect(withoutMatchers(expr).match(NAME), title).not.toBeNull()
    expect(unknownIn(expr), title).toEqual([])
  }
})

test('the dashboard shows each of our metrics', () => {
  const shown = queries.map(({ expr }) => expr).join(' ')
  const own = [...types.keys()].filter((name) => name.startsWith('standin_'))
  expect(own.length).toBeGreaterThan(20)
  expect(own.filter((name) => !shown.includes(name))).toEqual([])
})

test('the headroom before a full hour is scaled by a metric that the service has', () => {
  const [, query] = /^ +query: (.+)$/m.exec(readFileSync(join(packageRoot, HEADROOM), 'utf8'))!
  expect(unknownIn(query!)).toEqual([])
  const [, name, labels] = /^max\((\w+)\{(.+)\}\)$/.exec(query!)!
  expect(metrics).toContain(`\n${name}{${labels}} 0\n`)
})

test('its panels have different numbers', () => {
  const ids = dashboard.panels.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
})

test('every alert asks for metrics that the service has, and says what to do', () => {
  expect(alerts.length).toBeGreaterThan(15)
  expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length)
  for (const { alert, expr, labels, annotations } of alerts) {
    expect(expr, alert).toMatch(/\b(?:standin_|nodejs_|up\{)/)
    expect(unknownIn(expr), alert).toEqual([])
    expect(['critical', 'warning', 'info'], alert).toContain(labels.severity)
    expect(annotations.summary, alert).toBeTruthy()
    expect(annotations.description, alert).toBeTruthy()
  }
})

test('each runbook link leads to a heading of its page', () => {
  for (const { alert, annotations } of alerts) {
    const [page, anchor] = annotations.runbook_url!.split('#')
    const headings = readFileSync(join(packageRoot, page!), 'utf8').matchAll(/^#+ (.+)$/gm)
    const anchors = [...headings].map(([, heading]) => anchorOf(heading!))
    expect(anchors, alert).toContain(anchor)
  }
})

/** As GitHub makes them. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(' ', '-')
}

test('no label holds an id, an address or a text of a caller', async () => {
  const labels = samplesOf(metrics).flatMap((sample) => Object.entries(sample.labels))
  expect(labels.length).toBeGreaterThan(50)
  const free = labels.filter(([, value]) => /[0-9a-f]{8}-[0-9a-f]{4}|:\/\/|@/.test(value))
  expect(free).toEqual([])
})
