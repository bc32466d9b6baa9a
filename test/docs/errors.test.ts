import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { ERRORS_PAGE, errorsPage, HOSTS_PAGE, hostsPage } from '../../scripts/write-errors-page.ts'

/** Cells without the padding that the formatter adds. */
const unpadded = (page: string) =>
  page
    .replaceAll(/ +\| */g, ' | ')
    .replaceAll(/\| +/g, '| ')
    .replaceAll(/-{3,}/g, '---')

test('docs/errors.md and docs/for-hosts.md say what the tables of the code say; `npm run schemas` writes it', async () => {
  expect(unpadded(await readFile(ERRORS_PAGE, 'utf8'))).toBe(unpadded(errorsPage()))
  expect(await readFile(HOSTS_PAGE, 'utf8')).toBe(hostsPage())
})
