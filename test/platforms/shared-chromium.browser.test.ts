import { afterEach, expect, test } from 'vitest'
import { silentLogger } from '../../core/logger.ts'
import { HEADLESS_SHELL } from '../headless-shell.ts'
import { SILENT_STAGE } from './conformance/ground.ts'
import { SharedChromium } from './shared-chromium.ts'

const chromium = new SharedChromium(2000)
const open = () =>
  chromium.open(SILENT_STAGE, { executablePath: HEADLESS_SHELL, logger: silentLogger }, new AbortController().signal)

afterEach(() => chromium.close())

test('bots share one Chromium, and a bot that is closed leaves nothing open in it', async () => {
  const [one, other] = await Promise.all([open(), open()])
  expect(await chromium.running()).toMatchObject([{ contexts: 2 }])
  await one.close()
  await other.close()
  expect(await chromium.running()).toMatchObject([{ contexts: 0 }])
})

test.each([
  ['crashed', 'SIGKILL'],
  ['hangs', 'SIGSTOP'],
] as const)('a Chromium that %s is replaced', async (_, signal) => {
  await (await open()).close()
  const [first] = await chromium.running()
  process.kill(first!.processId, signal)
  const bot = await open()
  expect(await bot.page.evaluate(() => 1 + 1)).toBe(2)
  const [second, ...others] = await chromium.running()
  expect(second!.processId).not.toBe(first!.processId)
  expect(others).toEqual([])
  expect(() => process.kill(first!.processId, 0)).toThrow('ESRCH')
})
