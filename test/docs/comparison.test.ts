/** docs/comparison.md says nothing about others without a source and a date. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const read = (file: string) => readFile(join(ROOT, file), 'utf8')

/** The rows of the table below this text, without its head. */
function rowsBelow(text: string, start: string): string[][] {
  const [table = ''] = /(?:^\|.*\n)+/m.exec(text.slice(text.indexOf(start))) ?? []
  const rows = table.trim().split('\n').slice(2)
  return rows.map((row) =>
    row
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  )
}

test('each cell about another project has a source, and each source is used and has a date', async () => {
  const page = await read('docs/comparison.md')
  const rows = rowsBelow(page, '# Standin and others')
  const sources = rowsBelow(page, '## Sources')
  const months = 'January|February|March|April|May|June|July|August|September|October|November|December'
  for (const [mark, , date] of sources) expect(date, mark).toMatch(new RegExp(`(?:${months}) 20\\d\\d`))
  const marksOf = (text: string) =>
    [...text.matchAll(/\[([A-Z](?:, [A-Z])*)\]/g)].flatMap(([, marks]) => marks!.split(', '))
  expect(rows.length).toBeGreaterThan(15)
  for (const [title, own, ...others] of rows) {
    expect(own, title).not.toMatch(/^(?:–)?$/)
    expect(others).toHaveLength(3)
    for (const cell of others) if (cell !== '–') expect(marksOf(cell).length, `${title}: ${cell}`).toBeGreaterThan(0)
  }
  expect([...new Set(marksOf(page))].sort()).toEqual(sources.map(([mark]) => mark).sort())
})

test('the table of the README has only rows of the page', async () => {
  const rows = rowsBelow(await read('docs/comparison.md'), '# Standin and others')
  const short = rowsBelow(await read('README.md'), '## Beside others')
  expect(short.length).toBeGreaterThan(5)
  for (const row of short) expect(rows).toContainEqual(row)
})
