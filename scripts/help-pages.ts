/**
 * The documentation as pages: `dist/help` has one page for each document, a script and a stylesheet, and the texts that the
 * search reads. The service serves it under `/help`, and any web server can serve it at that path.
 */
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, normalize, relative } from 'node:path'
import { REASONS } from '@standin/wire/reasons.ts'
import { build } from 'esbuild'
import highlighter from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import ini from 'highlight.js/lib/languages/ini'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import sql from 'highlight.js/lib/languages/sql'
import typescript from 'highlight.js/lib/languages/typescript'
import yaml from 'highlight.js/lib/languages/yaml'
import MarkdownIt from 'markdown-it'
import anchors from 'markdown-it-anchor'
import { reasonPage } from './write-errors-page.ts'

const root = join(import.meta.dirname, '..')

/** From so many parts on, a page has a list of them. */
const MIN_PARTS = 3
/** Where the pages are served. */
const PREFIX = '/help'

const DOCUMENTS = ['*.md', 'docs/*.md', 'docs/platform-notes/*.md', 'docker/*.md']
/** Files beside the documents that they link to or show. */
const FOLDERS = ['docs/examples', 'docs/schemas', 'docs/pictures']
/** The list of pages is also the first page and the navigation. */
const START = 'docs/README.md'

const LANGUAGES = { bash, ini, json, python, sql, typescript, yaml }
for (const [name, language] of Object.entries(LANGUAGES)) highlighter.registerLanguage(name, language)
highlighter.registerAliases(['sh', 'console'], { languageName: 'bash' })
highlighter.registerAliases(['js', 'ts', 'mjs'], { languageName: 'typescript' })

/** A heading and the text below it, which the search finds together. */
interface Section {
  id: number
  /** Address with anchor. */
  at: string
  page: string
  heading: string
  text: string
}

/** As GitHub makes the anchor of a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')
}

/** The page of each reason is not stored: it is written from the table. */
const WRITTEN = new Map(REASONS.map((reason) => [`docs/hosts/${reason}.md`, reasonPage(reason)]))

/** Address of a document's page. */
function addressOf(document: string): string {
  if (document === START) return PREFIX
  return `${PREFIX}/${document
    .replace(/^docs\//, '')
    .replace(/\.md$/, '')
    .toLowerCase()}`
}

const targetOf = (document: string, href: string) => normalize(join(dirname(document), href.split('#', 1)[0]!))

const titleOf = (document: string) => /^# (.+)$/m.exec(read(document))?.[1] ?? basename(document)

function addressOfLink(document: string, href: string): string | null {
  if (/^(https?:|mailto:|#)/.test(href)) return href
  const anchor = href.split('#', 2)[1]
  const target = targetOf(document, href)
  if (documents().includes(target)) return addressOf(target) + (anchor === undefined ? '' : `#${anchor}`)
  const isServed = FOLDERS.some((folder) => target === folder || target.startsWith(`${folder}/`))
  return isServed && basename(target).includes('.') ? `${PREFIX}/${target.replace(/^docs\//, '')}` : null
}

let found: string[] | undefined
const documents = () => (found ??= [...globSync(DOCUMENTS, { cwd: root }), ...WRITTEN.keys()].sort())

function read(document: string): string {
  // Comments mark tables that scripts write.
  const text = WRITTEN.get(document) ?? readFileSync(join(root, document), 'utf8')
  return text.replaceAll(/^<!--.*?-->$/gm, '')
}

/** Links that lead to no page become text, so that no reader meets a dead one. */
function markdown(document: string): ReturnType<typeof MarkdownIt> {
  const renderer = new MarkdownIt({ linkify: false, highlight: highlighted })
  renderer.use(anchors, { slugify: anchorOf, permalink: anchors.permalink.headerLink({ safariReaderFix: true }) })
  renderer.core.ruler.push('addresses', ({ tokens }) => {
    for (const { children } of tokens) {
      let isText = false
      for (const [index, token] of (children ?? []).entries()) {
        if (token.type === 'link_open') {
          const href = String(token.attrGet('href'))
          const address = addressOfLink(document, href)
          isText = address === null
          if (address !== null) token.attrSet('href', address)
          // A reader of the pages knows no files.
          const name = children![index + 1]!
          const path = href.split('#', 1)[0]!
          if (path.endsWith('.md') && path.endsWith(name.content) && address !== null)
            name.content = titleOf(targetOf(document, href))
        }
        if (token.type === 'image') token.attrSet('src', addressOfLink(document, String(token.attrGet('src'))) ?? '')
        if (isText && token.type.startsWith('link_')) {
          Object.assign(token, { type: 'text', tag: '', content: '', nesting: 0 })
        }
        if (token.type === 'link_close') isText = false
      }
    }
  })
  // A wide table scrolls by itself, also from the keyboard.
  renderer.renderer.rules.table_open = () => '<div class="wide" tabindex="0"><table>\n'
  renderer.renderer.rules.table_close = () => '</table></div>\n'
  return renderer
}

function highlighted(code: string, language: string): string {
  return highlighter.getLanguage(language) ? highlighter.highlight(code, { language }).value : ''
}

/** Writes `dist/help`. Rejects if a document cannot be read or the script does not compile. */
export async function writeHelpPages(folder = join(root, 'dist', 'help')): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const sections: Section[] = []
  for (const document of documents()) {
    const text = read(document)
    const title = titleOf(document)
    const renderer = markdown(document)
    for (const part of sectionsOf(text)) {
      const at = addressOf(document) + (part.heading === title ? '' : `#${anchorOf(part.heading)}`)
      sections.push({ id: sections.length, at, page: title, ...part })
    }
    const path = join(folder, relative(PREFIX, addressOf(document)) || '.', 'index.html')
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(
      path,
      pageOf(title, renderer.render(text), { pages: navigation(document), contents: contentsOf(text) }),
    )
  }
  writeFileSync(join(folder, 'search.json'), JSON.stringify(sections))
  for (const place of FOLDERS)
    if (existsSync(join(root, place)))
      cpSync(join(root, place), join(folder, place.replace(/^docs\//, '')), { recursive: true })
  const page = join(root, 'control-plane/dashboard/help/page')
  await build({
    entryPoints: ['main.ts', 'style.css'].map((file) => ({ in: join(page, file), out: 'help' })),
    ...{
      bundle: true,
      outdir: folder,
      minify: true,
      format: 'esm',
      target: 'chrome120',
      charset: 'utf8',
      logLevel: 'warning',
    },
  })
}

/** Without code, whose words would hide those of the sentences. */
function sectionsOf(text: string): Pick<Section, 'heading' | 'text'>[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```/gm, '')
  return prose.split(/^#+ /m).flatMap((part) => {
    const [heading = '', ...lines] = part.split('\n')
    const words = lines
      .join(' ')
      .replaceAll(/\]\([^)]*\)|[[\]|`*#]|-{3,}/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim()
    return heading === '' ? [] : [{ heading: heading.replaceAll('`', ''), text: words }]
  })
}

/** The groups and pages of the list of pages. */
function navigation(current: string): string {
  const groups = read(START).split(/^## /m).slice(1)
  return groups
    .map((group) => {
      const links = [...group.matchAll(/^\| \[[^\]]+\]\(([^)]+\.md)\)/gm)].map(([, href]) => {
        const document = targetOf(START, href!)
        const here = document === current ? ' aria-current="page"' : ''
        return `<li><a href="${addressOf(document)}"${here}>${escaped(titleOf(document))}</a></li>`
      })
      return `<h2>${escaped(group.split('\n', 1)[0]!)}</h2>\n<ul>${links.join('')}</ul>`
    })
    .join('\n')
}

const escaped = (text: string) => new MarkdownIt().utils.escapeHtml(text)

/** Links to the parts of a page; empty for a page that fits a screen. */
function contentsOf(text: string): string {
  const headings = text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^## (.+)$/gm)
  const links = [...headings].map(([, heading]) => {
    const name = heading!.replaceAll('`', '')
    return `<li><a href="#${anchorOf(name)}">${escaped(name)}</a></li>`
  })
  if (links.length < MIN_PARTS) return ''
  return `<nav id="contents" aria-label="On this page"><details open><summary>On this page</summary>\n<ul>${links.join('')}</ul></details></nav>`
}

function pageOf(title: string, content: string, { pages, contents }: { pages: string; contents: string }): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · Standin</title>
<link rel="stylesheet" href="${PREFIX}/help.css">
<script type="module" src="${PREFIX}/help.js"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header>
<a class="brand" href="${PREFIX}">Standin</a>
<button type="button" id="menu" aria-expanded="false" aria-controls="pages">Pages</button>
<form role="search"><label for="search">Search</label>
<input id="search" type="search" placeholder="Search (press /)" autocomplete="off" role="combobox" aria-expanded="false" aria-controls="found" aria-autocomplete="list">
<ul id="found" role="listbox" aria-label="Found" hidden></ul></form>
<a href="/dashboard">Dashboard</a>
<a href="/docs">API reference</a>
</header>
<nav id="pages" aria-label="Pages">
${pages}
</nav>
${contents}
<main id="content">
${content}</main>
</body>
</html>
`
}
