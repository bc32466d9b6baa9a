import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { packageRoot } from '../../packages/core/process/page-scripts.ts'

const page = readFileSync(join(packageRoot, 'ARCHITECTURE.md'), 'utf8')
const rowsOf = (heading: string) =>
  page
    .split(`## ${heading}\n`)[1]!
    .split('\n## ')[0]!
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2)
    .map((line) => line.split('|').map((cell) => cell.trim()))
const quoted = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, text]) => text!)

describe('ARCHITECTURE.md', () => {
  const questions = rowsOf('Where to look')
  const logLines = rowsOf('Which log line says it')

  test('answers the questions of newcomers', () => {
    expect(questions.length + logLines.length).toBeGreaterThan(25)
  })

  test.each(questions)('%s%s', (_, _question, answer) => {
    const paths = quoted(answer!).filter((text) => text.includes('/'))
    const missing = paths.filter((path) =>
      path.includes('*') ? globSync(path, { cwd: packageRoot }).length === 0 : !existsSync(join(packageRoot, path)),
    )
    expect(missing).toEqual([])
  })

  test.each(logLines)('the log line for "%s%s" is in its file', (_, _what, lines, files) => {
    const sources = quoted(files!).map((path) => readFileSync(join(packageRoot, path), 'utf8'))
    expect(quoted(lines!).filter((line) => !sources.some((source) => source.includes(line)))).toEqual([])
  })
})
