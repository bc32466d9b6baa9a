import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { replaceBuild } from '../../scripts/replace-build.ts'

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'standin-builds-'))
})

afterEach(() => rmSync(root, { recursive: true }))

const builds = () => readdirSync(join(root, '.cache/builds'))
const built = () => readFileSync(join(root, 'dist/text'), 'utf8')
const build = (text: string) => replaceBuild(root, 'all', (dist) => writeFileSync(join(dist, 'text'), text))

test('the old build is whole until the new one takes its place', async () => {
  await build('one')
  await replaceBuild(root, 'bot', async (dist) => {
    writeFileSync(join(dist, 'text'), 'two')
    expect(built()).toBe('one')
  })
  expect([built(), readFileSync(join(root, 'dist/.built'), 'utf8')]).toEqual(['two', 'bot\n'])
})

test('a failed build leaves the old one as it was, and no folder', async () => {
  await build('one')
  const before = builds()
  const failed = replaceBuild(root, 'all', (dist) => {
    writeFileSync(join(dist, 'text'), 'two')
    throw new Error('TS2322')
  })
  await expect(failed).rejects.toThrow('TS2322')
  expect([built(), builds()]).toEqual(['one', before])
})

test('a folder of an earlier version becomes a link', async () => {
  mkdirSync(join(root, 'dist'))
  writeFileSync(join(root, 'dist/text'), 'old')
  await build('new')
  expect([built(), lstatSync(join(root, 'dist')).isSymbolicLink()]).toEqual(['new', true])
})

test('what is edited during a build is newer than its stamp', async () => {
  await replaceBuild(root, 'all', () => {
    const start = statSync(join(root, '.cache/builds', builds()[0]!, 'dist/.built')).mtimeMs
    utimesSync(join(root, '.cache'), new Date(start + 5), new Date(start + 5))
  })
  expect(statSync(join(root, '.cache')).mtimeMs).toBeGreaterThan(statSync(join(root, 'dist/.built')).mtimeMs)
})

test('a build goes when it was replaced an hour ago: a command may just have read the link', async () => {
  await build('one')
  const [one] = builds() as [string]
  const age = () => utimesSync(join(root, '.cache/builds', one), 0, 0)
  age()
  await build('two')
  expect(builds()).toContain(one)
  age()
  await build('three')
  expect(builds()).not.toContain(one)
  expect(builds()).toHaveLength(2)
})
