import { type BrowserType, chromium } from 'playwright'
import { expect, test } from 'vitest'
import { PLUGIN_NAMES, withPlugins } from '../../../platforms/browser/plugins.ts'

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

test('another failure of a plugin stays as it is', async () => {
  const load = () => Promise.reject(new Error('broken'))
  await expect(withPlugins(chromium, ['stealth'], load)).rejects.toThrow(/^broken$/)
})
