/** Every reference of the documentation and of the code leads to a page, a file and a heading that exist. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const text = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const isOurs = (path: string) => !/(^|\/)(node_modules|dist|recordings|service-data|\.cache)\//.test(path)
const files = (...patterns: string[]) =>
  patterns
    .flatMap((pattern) => globSync(pattern, { cwd: ROOT, exclude: (path) => path === 'node_modules' }))
    .filter(isOurs)

const pages = files('*.md', 'docs/**/*.md', 'docker/*.md', 'deploy/**/*.md', 'bench/**/*.md')

/** As GitHub makes the anchor of a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')

const anchorsOf = (page: string) =>
  new Set([...text(page).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading!)))

function linksOf(page: string): { target: string; anchor: string | undefined }[] {
  const prose = text(page).replaceAll(/^```[\s\S]*?^```/gm, '')
  return [...prose.matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g)].map(([, path, anchor]) => ({
    target: path === '' ? page : normalize(join(dirname(page), path!)),
    anchor,
  }))
}

test('every link of a page has its target', () => {
  expect(pages.length).toBeGreaterThan(15)
  const broken = pages.flatMap((page) =>
    linksOf(page)
      .filter(
        ({ target, anchor }) =>
          !existsSync(join(ROOT, target)) ||
          (anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).has(anchor)),
      )
      .map(({ target, anchor }) => `${page}: ${target}${anchor === undefined ? '' : `#${anchor}`}`),
  )
  expect(broken).toEqual([])
})

test('every page is in the list of pages', () => {
  const listed = new Set(linksOf('docs/README.md').map(({ target }) => target))
  const missing = pages.filter((page) => page.startsWith('docs/') && page !== 'docs/README.md' && !listed.has(page))
  expect(missing).toEqual([])
})

test('every page that a comment names exists', () => {
  const sources = files(
    '{src,platforms,recorder,storage,streaming,transcription,report,wire,control-plane,mock,bench,scripts}/**/*.{ts,sh}',
  )
  expect(sources.length).toBeGreaterThan(300)
  const broken = sources.flatMap((path) =>
    [...text(path).matchAll(/\b(?:docs|bench\/notes)\/[\w/.-]*\.md/g)]
      .filter(([page]) => !existsSync(join(ROOT, page)))
      .map(([page]) => `${path}: ${page}`),
  )
  expect(broken).toEqual([])
})
