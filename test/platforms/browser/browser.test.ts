import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { silentLogger } from '../../../packages/core/logger.ts'
import { launchOptions } from '../../../platforms/browser/browser.ts'
import { SILENT_STAGE } from '../conformance/ground.ts'

const STAGE = { ...SILENT_STAGE, display: ':9', displayAuthority: '/x/x-authority' }
async function launch(logger = silentLogger) {
  const home = await mkdtemp(join(tmpdir(), 'standin-home-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  return { home, ...(await launchOptions(STAGE, { logger }, home, new AbortController().signal)) }
}

test('files that Playwright writes for a browser are stored in the home of the browser', async () => {
  const { home, artifactsDir } = await launch()
  expect(artifactsDir).toBe(join(home, 'artifacts'))
  expect(await readdir(home)).toEqual(['artifacts'])
})

test('Chromium gets the display and the cookie file of the display', async () => {
  expect((await launch()).env).toMatchObject({ DISPLAY: ':9', XAUTHORITY: '/x/x-authority' })
})

test('a Chromium without its own sandbox is one warning with the reason', async () => {
  const warnings: unknown[] = []
  const logger = { ...silentLogger, warn: (message: string, fields?: object) => warnings.push({ message, ...fields }) }
  const { chromiumSandbox } = await launch(logger)
  const expected = { message: 'Chromium runs without its own sandbox', reason: expect.any(String) }
  expect(warnings).toEqual(chromiumSandbox ? [] : [expected])
})
