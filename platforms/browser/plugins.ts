/**
 * The browser plugins that can be configured, by name. The default list is empty: the start flags of `browser.ts`
 * already make an ordinary browser, while the evasions of `stealth` claim another system and an old version, which is
 * worse than none. This is the only file that uses playwright-extra.
 */
import type { BrowserType } from 'playwright'

const PLUGINS: Readonly<Record<string, () => Promise<unknown>>> = {
  stealth: async () => {
    const { default: create } = (await import('puppeteer-extra-plugin-stealth')) as unknown as {
      default: () => unknown
    }
    return create()
  },
}

export const PLUGIN_NAMES: readonly string[] = Object.keys(PLUGINS)

/** The browser type to launch: the plain one where no plugin is configured. Rejects for a name it does not know. */
export async function withPlugins(plain: BrowserType, names: readonly string[]): Promise<BrowserType> {
  if (names.length === 0) return plain
  const { addExtra } = (await import('playwright-extra')) as unknown as {
    addExtra(type: BrowserType): BrowserType & { use(plugin: unknown): void }
  }
  const extra = addExtra(plain)
  for (const name of names) {
    const create = PLUGINS[name]
    if (!create) throw new Error(`Unknown browser plugin ${name}; known: ${PLUGIN_NAMES.join(', ')}`)
    extra.use(await create())
  }
  return extra
}
