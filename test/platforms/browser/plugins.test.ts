import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type BrowserType, chromium } from 'playwright'
import { expect, test } from 'vitest'
import { PLUGIN_NAMES, withPlugins } from '../../../platforms/browser/plugins.ts'

const run = promisify(execFile)

/** Stands for the two packages, which no set-up installs. */
function packages() {
  const used: unknown[] = []
  const extra = { use: (plugin: unknown) => used.push(plugin) } as unknown as BrowserType
  const load = async (name: string) =>
    name === 'playwright-extra' ? { addExtra: () => extra } : { default: () => `plugin of ${name}` }
  return { used, extra, load }
}

test('without a plugin the browser type is the plain one, and no package is loaded', async () => {
  const load = () => Promise.reject(new Error('loaded'))
  expect(await withPlugins(chromium, [], load)).toBe(chromium)
})

test.each(PLUGIN_NAMES)('%s is created and used', async (name) => {
  const { used, extra, load } = packages()
  expect(await withPlugins(chromium, [name], load)).toBe(extra)
  expect(used).toHaveLength(1)
})

test('a plugin whose packages are not installed is refused with the command that installs them', async () => {
  // In Node itself, since vitest answers the import of an optional package by itself.
  const code = `
    const { withPlugins } = await import(process.argv[1])
    await withPlugins({}, ['stealth']).catch((error) => console.log(error.message))`
  const plugins = join(import.meta.dirname, '../../../platforms/browser/plugins.ts')
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', code, plugins])
  expect(stdout).toContain('npm install --no-save playwright-extra puppeteer-extra-plugin-stealth')
})

test('another failure of a plugin stays as it is', async () => {
  const load = () => Promise.reject(new Error('broken'))
  await expect(withPlugins(chromium, ['stealth'], load)).rejects.toThrow(/^broken$/)
})
