/** For lanes whose pages run scripts of ours. Tests that need that of another platform run even if one cannot be bundled. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { bundleDashboard, bundlePageScripts } from '../../scripts/build.ts'
import { replaceBuild } from '../../scripts/replace-build.ts'
import { isFirst } from './is-first.ts'

export default async () => {
  if (!isFirst('PAGE_BUNDLES')) return
  const root = join(import.meta.dirname, '../..')
  if (!existsSync(join(root, 'dist'))) await replaceBuild(root, 'none', () => {})
  await Promise.all([bundlePageScripts({ goOn: true }), bundleDashboard()])
}
