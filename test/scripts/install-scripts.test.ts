/** No package runs a program while it is installed, so none compiles anything. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../../packages/core/process/page-scripts.ts'

const text = (path: string) => readFileSync(join(packageRoot, path), 'utf8')

test('install scripts are off wherever packages are installed', () => {
  expect(text('.npmrc')).toMatch(/^ignore-scripts=true$/m)
  const steps = text('docker/Dockerfile')
    .split(/^FROM /m)
    .filter((step) => step.includes('npm ci'))
  expect(steps.length).toBeGreaterThan(2)
  for (const step of steps) expect(step.indexOf('.npmrc')).toBeGreaterThan(-1)
  for (const path of globSync(['docker/*', 'scripts/*.sh', '.ci/*', '.github/workflows/*'], { cwd: packageRoot }))
    if (/\.(sh|yml)$|Dockerfile|run$/.test(path))
      expect(text(path), path).not.toMatch(/ignore-scripts[= ]false|npm rebuild/)
})

test('no package with an install script has run it: none has a compiled addon', () => {
  const { packages } = JSON.parse(text('package-lock.json')) as {
    packages: Record<string, { hasInstallScript?: boolean }>
  }
  const withScripts = Object.keys(packages).filter((path) => packages[path]!.hasInstallScript)
  // Those that dockerode brings are among them.
  expect(withScripts).toEqual(expect.arrayContaining(['node_modules/ssh2', 'node_modules/cpu-features']))
  const built = withScripts.filter((path) => existsSync(join(packageRoot, path, 'build/Release')))
  const ofSsh2 = join(packageRoot, 'node_modules/ssh2/lib/protocol/crypto/build/Release')
  expect([...built, ...(existsSync(ofSsh2) ? [ofSsh2] : [])]).toEqual([])
})
