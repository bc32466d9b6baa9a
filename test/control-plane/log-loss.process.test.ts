/** Programs whose log or output cannot be written: a full disk, and a reader that is gone. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { newSealKey } from '@standin/control-plane/platform/secrets/seals.ts'
import { expect, onTestFinished, test } from 'vitest'
import { packageRoot } from '../../packages/core/process/page-scripts.ts'
import { temporaryFolder } from '../fakes/at-end.ts'
import { freePort } from '../servers/free-port.ts'
import { openTestDatabase } from './postgres.ts'

const secretKeys = newSealKey('k1')
const db = await openTestDatabase()
const base = temporaryFolder()
type Broken = 'ENOSPC' | 'EPIPE'

/** Standard output and standard error of the program fail with this error. */
function run(program: string, args: readonly string[], broken: Broken, environment = {}): ChildProcess {
  const full = broken === 'ENOSPC' ? openSync('/dev/full', 'w') : null
  const child = spawn(process.execPath, [join(packageRoot, program), ...args], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', full ?? 'pipe', full ?? 'pipe'],
  })
  if (full !== null) closeSync(full)
  child.stdout?.destroy()
  child.stderr?.destroy()
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

test.each<Broken>(['ENOSPC', 'EPIPE'])(
  'a service whose log fails with %s works, says so, and closes',
  async (broken) => {
    const port = await freePort()
    const service = run('control-plane/main/cli/index.ts', ['--port', String(port)], broken, {
      DATABASE_URL: db.url,
      STANDIN_SECRET_KEYS: secretKeys,
      STANDIN_DATA: join(base, broken),
      STANDIN_ROLES: 'api,links',
      // Each one is a line of the log.
      ...{ STANDIN_A: '', STANDIN_B: '', STANDIN_C: '' },
    })
    const ended = once(service, 'exit')
    const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } })
    await expect
      .poll(
        () =>
          get('/healthz').then(
            ({ status }) => status,
            () => null,
          ),
        { timeout: 60_000 },
      )
      .toBe(200)
    const readiness = await get('/readyz')
    expect([readiness.status, await readiness.json()]).toEqual([
      200,
      expect.objectContaining({ warnings: { log: expect.stringContaining(`(${broken})`) } }),
    ])
    expect(await (await get('/metrics')).text()).toMatch(/^standin_log_lines_lost_total \d+$/m)
    service.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  },
  120_000,
)

test.each<Broken>(['ENOSPC', 'EPIPE'])(
  'a bot whose output fails with %s keeps its exit code',
  async (broken) => {
    const bot = run('src/cli/index.ts', ['join', 'https://example.com/no-meeting'], broken)
    expect(await once(bot, 'exit')).toEqual([2, null])
  },
  60_000,
)
