/** The user agent of a Chromium without a display: the same as with one, with its true version. */

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { CHILD_PATH } from '@standin/wire/process/child-path.ts'

const run = promisify(execFile)

const VERSION_MS = 20_000
const found = new Map<string, Promise<string>>()

/**
 * Without a display Chromium calls itself `HeadlessChrome` to every site; its client hints do not. As of Chromium 110
 * the major version is the only part of the user agent that differs between machines
 * (https://www.chromium.org/updates/ua-reduction/). Rejects if the program does not report its version.
 */
export function userAgentOf(executable: string): Promise<string> {
  const known = found.get(executable)
  if (known) return known
  const asked = askVersion(executable).then(
    (major) =>
      `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${major}.0.0.0 Safari/537.36`,
  )
  found.set(executable, asked)
  // The version is read again where the program was just being replaced by a newer one.
  asked.catch(() => found.delete(executable))
  return asked
}

async function askVersion(executable: string): Promise<string> {
  const env = { PATH: CHILD_PATH, HOME: '/nonexistent' }
  const { stdout } = await run(executable, ['--version'], { env, timeout: VERSION_MS })
  const major = /\b(\d+)\.\d+\.\d+\.\d+\b/.exec(stdout)?.[1]
  if (major === undefined) throw new Error(`${executable} --version says no version: ${stdout.slice(0, 200)}`)
  return major
}
