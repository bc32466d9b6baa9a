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

const pages = files('*.md', 'docs/**/*.md', 'docker/*.md', 'bench/**/*.md')

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

const sources = files(
  '{src,platforms,recorder,control-plane,packages,docker,bench,scripts,test}/**/*.{ts,tsx,sh}',
).filter((path) => path !== 'test/docs/links.test.ts')

/** `docs/page.md`, `docs/page.md#heading`, and several headings of one page: `docs/page.md#one, #two and #three`. */
const REFERENCE = /\b((?:docs|bench\/notes)\/[\w/.-]*\.md)((?:(?:[\s,*/]|\band\b|\bto\b)*#[a-z0-9-]+)*)/g

/** References of a source that have no target. */
function lostReferences(source: string): string[] {
  const references = [...source.matchAll(REFERENCE)].map(([, page, headings]) => [page, headings] as const)
  // A file about one page names further headings of it without the page.
  const later = [...source.matchAll(/\/\/ (#[a-z0-9-].*)$/gm)].map(
    ([, headings]) => [references[0]?.[0], headings] as const,
  )
  return [...references, ...later].flatMap(([page, headings]) => {
    if (!existsSync(join(ROOT, page!))) return [page!]
    const known = anchorsOf(page!)
    return [...headings!.matchAll(/#([a-z0-9-]+)/g)]
      .map(([, heading]) => heading!)
      .filter((heading) => !known.has(heading))
      .map((heading) => `${page}#${heading}`)
  })
}

/** Documents that are not in the repository, and sections of documents by their number. */
const ELSEWHERE = /\bfield[- ]notes?\b|(?<!\/)\bspec\/|\.md,? \d+(?:\.\d+)?\b(?! (?:lines|words|KB))/gi

test('every page and heading that a comment names exists', () => {
  expect(sources.length).toBeGreaterThan(700)
  const references = sources.flatMap((path) => [...text(path).matchAll(REFERENCE)])
  expect(references.length).toBeGreaterThan(150)
  expect(sources.flatMap((path) => lostReferences(text(path)).map((lost) => `${path}: ${lost}`))).toEqual([])
})

test('no comment names a document that is not in the repository', () => {
  const lost = sources.flatMap((path) => [...text(path).matchAll(ELSEWHERE)].map(([words]) => `${path}: ${words}`))
  expect(lost).toEqual([])
})

test.each([
  ['// docs/platform-notes/zoom.md#no-such-heading', ['docs/platform-notes/zoom.md#no-such-heading']],
  ['// docs/no-such-page.md', ['docs/no-such-page.md']],
  ['// docs/platform-notes/zoom.md\nname: 1, // #lost', ['#lost']],
  [' * docs/platform-notes/zoom.md#chat, #lost\n * and #lost-too', ['#lost', '#lost-too']],
  ['/** docs/platform-notes/zoom.md#chat and #captions. */', []],
])('a reference is checked: %j', (source, lost) => {
  expect(lostReferences(source)).toEqual(lost.map((name) => expect.stringContaining(name)))
})

test.each(['(field notes 3.14)', 'Field notes', 'spec/service-interface.md', 'zoom.md 2.10'])(
  'a document elsewhere is noticed: %s',
  (words) => {
    expect(words).toMatch(ELSEWHERE)
  },
)
