/**
 * The browser plugins that can be configured, by name. The default list is empty: the start flags of `browser.ts`
 * already make an ordinary browser, while the evasions of `stealth` claim another system and an old version, which is
 * worse than none. So the packages are not installed with the bot. This is the only file that uses them.
 */
import type { BrowserType } from 'playwright'

const EXTRA = 'playwright-extra'

/** The package of each plugin. */
const PLUGINS: Readonly<Record<string, string>> = { stealth: 'puppeteer-extra-plugin-stealth' }

export const PLUGIN_NAMES: readonly string[] = Object.keys(PLUGINS)

/** The browser type to launch: the plain one if no plugin is configured. Rejects for an unknown name and a missing package. */
export async function withPlugins(
  plain: BrowserType,
  names: readonly string[],
  load: (packageName: string) => Promise<unknown> = (packageName) => import(packageName),
): Promise<BrowserType> {
  if (names.length === 0) return plain
  const packages = names.map((name) => {
    const packageName = PLUGINS[name]
    if (!packageName) throw new Error(`Unknown browser plugin ${name}; known: ${PLUGIN_NAMES.join(', ')}`)
    return packageName
  })
  try {
    const { addExtra } = (await load(EXTRA)) as {
      addExtra(type: BrowserType): BrowserType & { use(plugin: unknown): void }
    }
    const extra = addExtra(plain)
    for (const packageName of packages) {
      const { default: create } = (await load(packageName)) as { default: () => unknown }
      extra.use(create())
    }
    return extra
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    const command = `npm install --no-save ${[EXTRA, ...packages].join(' ')}`
    throw new Error(`The packages of the browser plugins ${names.join(', ')} are not installed. Run: ${command}`, {
      cause: error,
    })
  }
}
