/** The contents of the npm package, as `npm pack` would write them from the last build. */
import { execFile } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { packageRoot } from '../../core/process/page-scripts.ts'

const run = promisify(execFile)

async function packed(folder = '.'): Promise<string[]> {
  const { stdout } = await run('npm', ['pack', '--dry-run', '--json', `./${folder}`], {
    cwd: packageRoot,
    maxBuffer: 2 ** 26,
  })
  const answer = JSON.parse(stdout)
  const [first] = (Array.isArray(answer) ? answer : Object.values(answer)) as { files: { path: string }[] }[]
  return first!.files.map(({ path }) => path)
}

test('the package has the program and its documents, and neither sources nor mock meetings, tests, data or secrets', async () => {
  const files = await packed()
  expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'bin/standin', 'package.json']))
  const built = globSync(
    'dist/{{base,wire,core,src,platforms,recorder,storage,streaming,transcription,report}/**/*,client/index}.js',
    {
      cwd: packageRoot,
    },
  )
  expect(built.length).toBeGreaterThan(100)
  expect(built.filter((file) => !files.includes(file))).toEqual([])
  const bundles = globSync('dist/bundles/{page/**/*.js,report.{js,css}}', { cwd: packageRoot })
  expect(bundles.filter((file) => !files.includes(file))).toEqual([])
  const needless = files.filter(
    (file) =>
      !/^(bin|dist|docs)\/|^(LICENSE|README\.md|package\.json)$/.test(file) ||
      /^dist\/(bundles\/)?(mock|client\/(?!index\.)|mcp)\//.test(file),
  )
  expect(needless).toEqual([])
  expect(files.filter((file) => /(^|\/)(node_modules|\.env|test|recordings)(\/|$)|\.(pem|key)$/.test(file))).toEqual([])
})

test('each relative import of the packed program is packed', async () => {
  const files = new Set(await packed())
  const missing: string[] = []
  for (const file of files) {
    if (!/^dist\/(?!bundles|dashboard).*\.js$/.test(file)) continue
    const text = await readFile(join(packageRoot, file), 'utf8')
    // The bundles of the pages contain the WebAssembly; its importer is page code, which runs nowhere else.
    for (const [, target] of text.matchAll(/(?:^import |^} |^export .*? )(?:.*? )?from '(\.[^']+)'/gm))
      if (!target!.endsWith('.wasm') && !files.has(join(file, '..', target!))) missing.push(`${file}: ${target}`)
  }
  expect(missing).toEqual([])
})

test('the package of the client has JavaScript and types', async () => {
  expect(existsSync(join(packageRoot, 'dist/client/package.json'))).toBe(true)
  expect(await packed('dist/client')).toEqual(
    expect.arrayContaining(['index.d.ts', 'index.js', 'older.d.ts', 'package.json', 'v2.d.ts']),
  )
})
