/** Log messages and notices that a page of the documentation quotes are in the source, so that a search finds them. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../../packages/core/process/page-scripts.ts'

const text = (path: string) => readFileSync(join(packageRoot, path), 'utf8')
const find = (...patterns: string[]) =>
  globSync(patterns, { cwd: packageRoot, exclude: (path) => path.endsWith('node_modules') })

/** Notes on a platform quote the platform's page, not us. */
const pages = find('README.md', 'docs/*.md', 'docker/*.md')
const sources = find(
  '{src,platforms,recorder,storage,streaming,transcription,report,control-plane}/**/*.ts',
  'docker/*.{sh,ts}',
)

/** Quotes of at least three words that begin with a capital letter, in paragraphs, list items and rows about logs. */
function quotedMessages(page: string): string[] {
  return page
    .replaceAll(/^```[\s\S]*?^```/gm, '')
    .split(/\n\n|\n(?=[-|\d])/)
    .filter((paragraph) => /\b(logs?|notices?)\b/i.test(paragraph))
    .map((paragraph) => paragraph.replaceAll(/\s+/g, ' '))
    .flatMap((paragraph) => [...paragraph.matchAll(/["`]([A-Z][a-z]*(?: [\w',:;-]+){2,})[".`]/g)])
    .map(([, message]) => message!)
}

test('each log message and notice that a page quotes is in the source', () => {
  const source = sources.map(text).join('\n')
  const quoted = pages.flatMap((page) => quotedMessages(text(page)).map((message) => ({ page, message })))
  expect(quoted.length).toBeGreaterThan(5)
  expect(quoted.filter(({ message }) => !source.includes(message))).toEqual([])
})

test.each([
  ['the log says `The picture is painted` on `frames`', ['The picture is painted']],
  ['its log says\n"Bots could not be\nreconciled" with the reason', ['Bots could not be reconciled']],
  ['the page says "Removed from the meeting"', []],
  ['the log has `ABC` and `Two words`', []],
])('a quoted message is noticed: %j', (page, messages) => {
  expect(quotedMessages(page)).toEqual(messages)
})
