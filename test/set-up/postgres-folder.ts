/** For lanes with tests of the service: names the folder in which the first worker that needs PostgreSQL starts it. */
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startOwnPostgres } from '../../control-plane/store/own-postgres.ts'
import { isFirst } from './is-first.ts'

export default async () => {
  if (!isFirst('POSTGRES')) return
  const run = mkdtempSync(join(tmpdir(), 'standin-test-postgres-'))
  // PostgreSQL's user has to pass through it, where the tests run as root.
  chmodSync(run, 0o711)
  process.env.STANDIN_TEST_POSTGRES = run
  return async () => {
    // The worker that started the server is ended without notice, so the server is found again here and stopped.
    const folder = join(run, 'server')
    if (existsSync(folder)) await (await startOwnPostgres({ folder })).stop()
    rmSync(run, { recursive: true, force: true })
  }
}
