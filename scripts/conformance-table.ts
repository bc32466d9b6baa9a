/**
 * Writes the table of platforms and promises into docs/platforms.md, from the JSON report of the conformance suite:
 *   npx vitest run test/platforms/conformance --project browser --reporter=json --outputFile=report.json
 *   node scripts/conformance-table.ts report.json
 * Several reports may be given, where the platforms ran apart.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

interface Report {
  testResults: { assertionResults: { ancestorTitles: string[]; title: string; status: string }[] }[]
}

const DOCUMENT = join(dirname(dirname(fileURLToPath(import.meta.url))), 'docs', 'platforms.md')
const [BEGIN, END] = ['<!-- conformance table -->', '<!-- end of conformance table -->']

/** Promises in the order of the reports, platforms by name; a promise that a platform does not know is a dash. */
export function conformanceTable(reports: readonly Report[]): string {
  const results = reports.flatMap(({ testResults }) => testResults.flatMap(({ assertionResults }) => assertionResults))
  const platforms = [...new Set(results.map(({ ancestorTitles }) => ancestorTitles[0] ?? ''))].sort()
  const promises = [...new Set(results.map(({ ancestorTitles, title }) => `${ancestorTitles[1]}: ${title}`))]
  const cell = (platform: string, promise: string) => {
    const found = results.find(
      ({ ancestorTitles, title }) => ancestorTitles[0] === platform && `${ancestorTitles[1]}: ${title}` === promise,
    )
    return { passed: 'yes', failed: '**no**' }[found?.status ?? ''] ?? '–'
  }
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [
    row(['promise', ...platforms]),
    row(['---', ...platforms.map(() => '---')]),
    ...promises.map((promise) => row([promise, ...platforms.map((platform) => cell(platform, promise))])),
  ].join('\n')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const reports = process.argv.slice(2).map((file) => JSON.parse(readFileSync(file, 'utf8')) as Report)
  const text = readFileSync(DOCUMENT, 'utf8')
  const [before, after] = [text.indexOf(BEGIN), text.indexOf(END)]
  if (before < 0 || after < 0) throw new Error(`${DOCUMENT} has no place for the table`)
  const table = `${text.slice(0, before)}${BEGIN}\n\n${conformanceTable(reports)}\n\n${text.slice(after)}`
  writeFileSync(DOCUMENT, table)
}
