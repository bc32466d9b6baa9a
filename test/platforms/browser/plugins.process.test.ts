import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const run = promisify(execFile)

test('a plugin whose packages are not installed is refused with the command that installs them', async () => {
  // In Node itself, since vitest answers the import of an optional package by itself.
  const code = `
    const { withPlugins } = await import(process.argv[1])
    await withPlugins({}, ['stealth']).catch((error) => console.log(error.message))`
  const plugins = join(import.meta.dirname, '../../../platforms/browser/plugins.ts')
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', code, plugins])
  expect(stdout).toContain('npm install --no-save playwright-extra puppeteer-extra-plugin-stealth')
})
