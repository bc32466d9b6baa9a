/** Contents of the packages for npm, packed from the last build. */
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { extract, list } from 'tar'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { packageRoot } from '../../packages/core/process/page-scripts.ts'
import { importsOf } from '../../scripts/imports.ts'
import { packAll } from '../../scripts/pack.ts'

let folder: string
let packages: Record<'client' | 'mcp' | 'standin', string>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'standin-packages-'))
  const [client, mcp, standin] = packAll(folder) as [string, string, string]
  packages = { client, mcp, standin }
}, 300_000)

afterAll(() => rm(folder, { recursive: true, force: true }))

async function filesOf(tarball: string): Promise<string[]> {
  const files: string[] = []
  await list({ file: tarball, onReadEntry: ({ path }) => files.push(path.replace(/^package\//, '')) })
  return files
}

/** Packages that Playwright imports if a proxy asks for them; without them it says which one is needed. */
const OPTIONAL = new Set(['kerberos'])

test.each(['client', 'mcp', 'standin'] as const)('%s has the version of the project and no secret', async (name) => {
  const files = await filesOf(packages[name])
  expect(files).toEqual(expect.arrayContaining(['LICENSE', 'package.json']))
  expect(
    files.filter((file) => /(^|\/)(node_modules|\.env|test|recordings|.*\.tgz)(\/|$)|\.(pem|key)$/.test(file)),
  ).toEqual([])
  expect(files.filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts'))).toEqual([])
  const { version } = JSON.parse(await readFile(join(packageRoot, 'package.json'), 'utf8')) as { version: string }
  expect(packages[name]).toContain(`-${version}.tgz`)
})

test.each(['client', 'mcp', 'standin'] as const)(
  '%s has every file and every dependency that it imports',
  async (name) => {
    const place = join(folder, name)
    await mkdir(place)
    await extract({ file: packages[name], cwd: place, strip: 1 })
    const files = new Set(await filesOf(packages[name]))
    const { dependencies, optionalDependencies, peerDependencies } = JSON.parse(
      await readFile(join(place, 'package.json'), 'utf8'),
    )
    const installed = new Set(Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }))
    const missing: string[] = []
    for (const file of files) {
      // Pages load bundles, which import nothing.
      if (!/^dist\/(?!bundles|dashboard).*\.js$/.test(file)) continue
      const text = await readFile(join(place, file), 'utf8')
      for (const { name: target } of importsOf(text)) {
        // The bundles of the pages contain the WebAssembly; its importer is page code, which runs nowhere else.
        if (target.startsWith('node:') || builtinModules.includes(target) || target.endsWith('.wasm')) continue
        const bare = target
          .split('/')
          .slice(0, target.startsWith('@') ? 2 : 1)
          .join('/')
        if (/^dist\/bot\/playwright/.test(file) && OPTIONAL.has(bare)) continue
        const isThere = target.startsWith('.') ? files.has(join(dirname(file), target)) : installed.has(bare)
        if (!isThere) missing.push(`${file}: ${target}`)
      }
    }
    expect(missing).toEqual([])
  },
)
