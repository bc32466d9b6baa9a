/** Finds the bundles that run inside a page. They are built by `npm run build` (and by the tests' global set-up). */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The package's folder, whether this file runs from `src/` or from `dist/src/`. */
export const packageRoot = findRoot(dirname(fileURLToPath(import.meta.url)))

function findRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder
  return findRoot(dirname(folder))
}

/** The source of `dist/bundles/<name>.js`, such as `page/google-meet` or `mock/google-meet/meeting`. */
export const pageScript = (name: string): string => bundle(`${name}.js`)

/** The stylesheet `dist/bundles/<name>.css`. */
export const pageStyle = (name: string): string => bundle(`${name}.css`)

function bundle(name: string): string {
  const file = join(packageRoot, 'dist', 'bundles', name)
  if (!existsSync(file)) throw new Error(`The page bundle ${name} is not built; run: npm run build`)
  return readFileSync(file, 'utf8')
}
