/** Builds `dist/`: the program with tsc, and every page script (what runs inside a browser page) as one bundle each. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

/**
 * Bundles `platforms/<name>/page/main.ts` into `dist/bundles/page/<name>.js` and `mock/<name>/page/*.entry.ts` into
 * `dist/bundles/mock/<name>/*.js`: a folder apart, so that no bundle overwrites a module of the Node side by the same
 * name. Page code imports page code only, so a bundle carries nothing of the Node side.
 */
export async function bundlePageScripts(): Promise<void> {
  const bundle = (entryPoints: Record<string, string>, outdir: string) =>
    build({
      entryPoints,
      outdir,
      bundle: true,
      format: 'iife',
      target: 'chrome120',
      charset: 'utf8',
      logLevel: 'warning',
    })
  const platforms: Record<string, string> = {}
  for (const name of foldersOf('platforms')) {
    const main = join(root, 'platforms', name, 'page', 'main.ts')
    if (existsSync(main)) platforms[name] = main
  }
  await bundle(platforms, join(root, 'dist', 'bundles', 'page'))
  for (const name of foldersOf('mock')) {
    const pages = join(root, 'mock', name, 'page')
    const entries = existsSync(pages) ? readdirSync(pages).filter((file) => file.endsWith('.entry.ts')) : []
    const named = Object.fromEntries(entries.map((file) => [file.replace('.entry.ts', ''), join(pages, file)]))
    if (entries.length > 0) await bundle(named, join(root, 'dist', 'bundles', 'mock', name))
  }
}

function foldersOf(place: string): string[] {
  return readdirSync(join(root, place), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  rmSync(join(root, 'dist'), { recursive: true, force: true })
  execFileSync(
    process.execPath,
    [join(root, 'node_modules/typescript/bin/tsc'), '-p', join(root, 'tsconfig.build.json')],
    {
      stdio: 'inherit',
    },
  )
  await bundlePageScripts()
}
