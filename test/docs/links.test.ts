/** What the documents and the comments point at is there. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../../src/page-scripts.ts'

/** Files of the checkout, those that are not committed yet with them. */
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: packageRoot })
  .toString()
  .split('\n')
  .filter((path) => /\.(?:md|ts|mjs|sh)$/.test(path) && existsSync(join(packageRoot, path)))
const read = (path: string) => readFileSync(join(packageRoot, path), 'utf8')
const missing = (path: string, targets: string[]) =>
  targets.filter((target) => !existsSync(join(packageRoot, target))).map((target) => `${path}: ${target}`)

test('relative links of Markdown pages have their targets', () => {
  const pages = files.filter((path) => path.endsWith('.md'))
  expect(pages.length).toBeGreaterThan(20)
  const dead = pages.flatMap((path) => {
    const links = [...read(path).matchAll(/\]\((?!https?:|mailto:|#|\/)([^)\s#]+)/g)].map(([, link]) => link!)
    return missing(
      path,
      links.map((link) => join(dirname(path), link)),
    )
  })
  expect(dead).toEqual([])
})

test('pages that code and comments name are there', () => {
  const dead = files.flatMap((path) => {
    const named = [...read(path).matchAll(/(?<![\w/.-])((?:docs|bench\/notes)\/[\w./-]+\.md)\b/g)]
    return missing(
      path,
      named.map(([, page]) => page!),
    )
  })
  expect(dead).toEqual([])
})
