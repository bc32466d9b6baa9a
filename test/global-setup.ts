import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startOwnPostgres } from '../control-plane/store/own-postgres.ts'
import { bundleDashboard, bundlePageScripts } from '../scripts/build.ts'
import { replaceBuild } from '../scripts/replace-build.ts'

/** Tests that need no page script, or that of another platform, run even if one cannot be bundled. */
export default async () => {
  // A bot or a service that a test starts is compiled once.
  const root = join(import.meta.dirname, '..')
  process.env.NODE_COMPILE_CACHE ??= join(root, '.cache/compiled')
  if (!existsSync(join(root, 'dist'))) await replaceBuild(root, 'none', () => {})
  await bundlePageScripts({ goOn: true })
  await bundleDashboard()
  const servers = mkdtempSync(join(tmpdir(), 'standin-test-postgres-'))
  // PostgreSQL's user has to pass through it, where the tests run as root.
  chmodSync(servers, 0o711)
  process.env.STANDIN_TEST_POSTGRES = servers
  return async () => {
    // A worker is ended without notice, so its server is found again here and stopped.
    for (const name of readdirSync(servers)) await (await startOwnPostgres({ folder: join(servers, name) })).stop()
    rmSync(servers, { recursive: true, force: true })
  }
}
