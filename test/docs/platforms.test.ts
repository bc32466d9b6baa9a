/** The table of promises in docs/platforms.md against the rows of the conformance suite. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PAGE_SIGNALS } from '@standin/wire/page-signals.ts'
import { expect, test } from 'vitest'
import { packageRoot } from '../../packages/core/process/page-scripts.ts'
import { GOOGLE_MEET, JITSI, MICROSOFT_TEAMS, ZOOM, ZOOM_SDK } from '../platforms/conformance/platforms.ts'
import { rowsOf } from '../platforms/conformance/rows.ts'

const PLATFORMS = [GOOGLE_MEET, JITSI, MICROSOFT_TEAMS, ZOOM, ZOOM_SDK]
const text = readFileSync(join(packageRoot, 'docs', 'platforms.md'), 'utf8')

test('the table has each promise of the suite, in its order, and the platforms that make it', () => {
  const table = /<!-- conformance table -->\s+(.*?)\s+<!-- end of conformance table -->/s.exec(text)?.[1] ?? ''
  const [head, , ...rows] = table.split('\n').map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
  expect(head).toEqual(['promise', ...PLATFORMS.map(({ name }) => name)])
  const promised = PLATFORMS.map((platform) => rowsOf(platform).map(({ isPromised }) => (isPromised ? 'yes' : '–')))
  expect(rows).toEqual(
    rowsOf(GOOGLE_MEET).map(({ group, title }, row) => [`${group}: ${title}`, ...promised.map((cells) => cells[row])]),
  )
})

test('the table of signals has each signal, and unproven ones in italics', () => {
  const table = /<!-- signals -->\s+(.*?)\s+<!-- end of signals -->/s.exec(text)?.[1] ?? ''
  const rows = table.split('\n').slice(2)
  const described = rows.map((row) => row.split('|').map((cell) => cell.trim().replaceAll('`', '')))
  const declared = Object.entries(PAGE_SIGNALS).flatMap(([platform, questions]) =>
    Object.entries<Record<string, boolean>>(questions).map(([question, signals]) => [
      platform,
      question,
      Object.entries(signals)
        .map(([signal, isProven]) => (isProven ? signal : `_${signal}_`))
        .join(', '),
    ]),
  )
  expect(described.map(([, platform, question, , signals]) => [platform, question, signals])).toEqual(declared)
})

test('each test that it names exists', () => {
  const named = [...text.matchAll(/`([\w/<>.-]+\.test\.ts)`/g)].map(([, path = '']) => path.replace('<name>', '*'))
  expect(named.length).toBeGreaterThan(2)
  expect(named.filter((path) => globSync(path, { cwd: packageRoot }).length === 0)).toEqual([])
})
