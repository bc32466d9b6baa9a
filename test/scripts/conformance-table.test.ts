import { expect, test } from 'vitest'
import { conformanceTable } from '../../scripts/conformance-table.ts'

const result = (platform: string, title: string, status: string) => ({
  ancestorTitles: [platform, 'getting in'],
  title,
  status,
})
const report = (...assertionResults: ReturnType<typeof result>[]) => ({ testResults: [{ assertionResults }] })

test('the table has a row for each promise and a column for each platform, from one report or several', () => {
  const table = conformanceTable([
    report(result('Zoom', 'a denial is told', 'failed'), result('Zoom', 'it gives up', 'skipped')),
    report(result('Jitsi Meet', 'a denial is told', 'passed')),
  ])
  expect(table.split('\n')).toEqual([
    '| promise | Jitsi Meet | Zoom |',
    '| --- | --- | --- |',
    '| getting in: a denial is told | yes | **no** |',
    '| getting in: it gives up | – | – |',
  ])
})
