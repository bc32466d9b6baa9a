/**
 * Builds `dist/`: the program, `standin join` once more as a bundle, and every page script (what runs inside a browser page)
 * as one bundle each. Types are not checked here: `npm test` and `npm run check` do that.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { main as compileAssembly } from 'assemblyscript/asc'
import { build, type Plugin } from 'esbuild'
import { writeHelpPages } from './help-pages.ts'
import { replaceBuild } from './replace-build.ts'
import { pathOf } from './workspaces.ts'
import { writeClient } from './write-client.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const DIST = join(root, 'dist')

/** Of every bundle. */
const OPTIONS = {
  bundle: true,
  write: false,
  format: 'iife',
  target: 'chrome120',
  charset: 'utf8',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  logLevel: 'warning',
} as const

/**
 * Bundles the page scripts: `platforms/<name>/page/main.ts` into `dist/bundles/page/<name>.js`,
 * `platforms/<name>/page/<x>.entry.ts` into `dist/bundles/page/<name>/<x>.js`, and `packages/mock/<name>/page/<x>.entry.ts` into
 * `dist/bundles/mock/<name>/<x>.js` (a separate folder, so that no bundle overwrites a module of the Node side with the
 * same name), and `src/report/page/{main.tsx,style.css}` into `dist/bundles/report.{js,css}`. Page code imports page code
 * only, so a bundle has no code of the Node side.
 *
 * Bundles every platform, even if another one fails. Rejects after a failure, unless `goOn` is set. A failed platform
 * has no bundles, so that no program runs old ones.
 */
export async function bundlePageScripts({ goOn = false, dist = DIST } = {}): Promise<void> {
  const failed: string[] = []
  const bundle = async (name: string, entryPoints: Record<string, string>, outdir: string) => {
    if (Object.keys(entryPoints).length === 0) return
    try {
      const { outputFiles } = await build({
        ...OPTIONS,
        entryPoints,
        outdir,
        // Each report.html carries its bundle.
        minify: name === 'report',
        plugins: [assembly],
      })
      mkdirSync(outdir, { recursive: true })
      for (const { path, contents } of outputFiles) replaceFile(path, contents)
    } catch {
      // esbuild has printed the error.
      for (const entry of Object.keys(entryPoints)) rmSync(join(outdir, `${entry}.js`), { force: true })
      failed.push(name)
    }
  }
  const bundles = join(dist, 'bundles')
  for (const name of foldersOf('platforms')) {
    const main = join(root, 'platforms', name, 'page', 'main.ts')
    await bundle(`platforms/${name}`, existsSync(main) ? { [name]: main } : {}, join(bundles, 'page'))
    await bundle(`platforms/${name}`, entriesOf('platforms', name), join(bundles, 'page', name))
    for (const part of foldersOf(join('platforms', name))) {
      const own = join(root, 'platforms', name, part, 'page', 'main.ts')
      if (existsSync(own)) await bundle(`platforms/${name}/${part}`, { [part]: own }, join(bundles, 'page', name))
    }
  }
  for (const name of foldersOf('packages/mock'))
    await bundle(`packages/mock/${name}`, entriesOf('packages/mock', name), join(bundles, 'mock', name))
  mkdirSync(join(bundles, 'mock/sentences'), { recursive: true })
  for (const file of readdirSync(join(root, 'packages/mock/sentences')))
    replaceFile(join(bundles, 'mock/sentences', file), readFileSync(join(root, 'packages/mock/sentences', file)))
  replaceFile(join(bundles, 'speech-sample.ogg'), readFileSync(join(root, 'src/speech/sample.ogg')))
  for (const file of ['main.tsx', 'style.css'])
    await bundle('report', { report: join(root, 'src/report/page', file) }, bundles)
  if (failed.length > 0 && !goOn) throw new Error(`The page scripts of ${failed.join(', ')} could not be bundled`)
}

/**
 * The page of the dashboard: one document, its script and its worker, one stylesheet in `dist/dashboard`. Rejects if it does not
 * compile.
 */
export async function bundleDashboard(dist = DIST): Promise<void> {
  const page = join(root, 'control-plane', 'dashboard', 'page')
  const outdir = join(dist, 'dashboard')
  const { outputFiles } = await build({
    ...OPTIONS,
    entryPoints: Object.entries({ 'main.tsx': 'app', 'app.css': 'app', 'feed-worker.ts': 'feed' }).map(
      ([file, out]) => ({
        in: join(page, file),
        out,
      }),
    ),
    outdir,
    minify: true,
    format: 'esm',
  })
  mkdirSync(outdir, { recursive: true })
  for (const { path, contents } of outputFiles) replaceFile(path, contents)
  replaceFile(join(outdir, 'index.html'), readFileSync(join(page, 'index.html')))
}

/**
 * `standin join` in `dist/bot`, with the packages that every bot loads. Bots run beside each other for hours, and a bundle
 * of ASCII takes half the memory of Playwright's files, which are kept with two bytes for each character; one file is
 * also read sooner than hundreds. A package that a part imports when it is needed stays a package.
 */
async function bundleBot(dist: string): Promise<void> {
  await build({
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    charset: 'ascii',
    // Names stay, so that the trace of an error can be read.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'linked',
    logLevel: 'warning',
    absWorkingDir: root,
    entryPoints: {
      index: 'src/cli/index.ts',
      'recognizer-process': 'src/speech/recognizer-process.ts',
      'server-process': 'src/speech/server-process.ts',
      'synthesizer-process': 'src/voice/synthesizer-process.ts',
      'voice-prints-process': 'src/speech/voice-prints-process.ts',
    },
    outdir: join(dist, 'bot'),
    chunkNames: '[name]-[hash]',
    banner: { js: "import{createRequire as requireOf}from'node:module';const require=requireOf(import.meta.url);" },
    plugins: [packagesWhenNeeded, playwrightFiles],
  })
}

const packagesWhenNeeded: Plugin = {
  name: 'packages when needed',
  setup({ onResolve }) {
    onResolve({ filter: /^[@a-z]/ }, ({ kind, path }) => {
      const isOurs = path === 'playwright' || (path.startsWith('@standin/') && !path.startsWith('@standin/mock/'))
      const isOfPart = kind === 'dynamic-import' || path.startsWith('@aws-sdk/')
      if (!isOfPart || isOurs) return null
      // The mock meetings are built beside the bundle.
      return {
        path: path.startsWith('@standin/') ? `../${pathOf(path).replace(/\.ts$/, '.js')}` : path,
        external: true,
      }
    })
  },
}

/**
 * Playwright finds its files beside its modules, so these still say where they were. It is asked for as Playwright asks,
 * since npm may have put another version where the bundle would find it.
 */
const playwrightFiles: Plugin = {
  name: "Playwright's files",
  setup({ onLoad }) {
    const ofPlaywright = "require('node:module').createRequire(require.resolve('playwright/package.json'))"
    const folder = `require('node:path').dirname(${ofPlaywright}.resolve('playwright-core/package.json'))`
    onLoad({ filter: /\/playwright-core\/lib\/\w+\.js$/ }, ({ path }) => ({
      contents: `var __dirname = ${folder} + '/lib';${readFileSync(path, 'utf8')}`,
      loader: 'js',
    }))
  },
}

/** An import of `<name>.wasm` is the bytes of what `<name>/index.ts` beside it, in AssemblyScript, compiles to. */
export const assembly: Plugin = {
  name: 'assembly',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /\.wasm$/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path.replace(/\.wasm$/, ''), 'index.ts'),
      namespace: 'assembly',
    }))
    onLoad({ filter: /./, namespace: 'assembly' }, async ({ path }) => ({
      contents: await compileToWasm(path),
      loader: 'binary',
    }))
  },
}

/** Rejects with the compiler's message. */
export async function compileToWasm(path: string): Promise<Uint8Array<ArrayBuffer>> {
  let binary: Uint8Array<ArrayBuffer> | null = null
  const given = [relative(root, path), '--outFile', 'out.wasm', '--runtime', 'minimal', '--enable', 'simd']
  const { error, stderr } = await compileAssembly([...given, '--optimizeLevel', '3', '--noAssert', '--baseDir', root], {
    writeFile(_name: string, contents: string | Uint8Array) {
      if (typeof contents !== 'string') binary = new Uint8Array(contents)
    },
  })
  if (error || binary === null) throw new Error(`${path} could not be compiled: ${stderr.toString()}`)
  return binary
}

/** In one step: tests that run at the same time find the whole file at every moment. */
function replaceFile(path: string, contents: Uint8Array): void {
  // Elsewhere, so that who copies the folder meets no file that is about to go.
  const fresh = join(root, '.cache', `${basename(path)}.${process.pid}`)
  mkdirSync(dirname(fresh), { recursive: true })
  writeFileSync(fresh, contents)
  renameSync(fresh, path)
}

/** Files of a program, which the compiler's settings name. */
function modulesOf(settings: string): string[] {
  const { include } = readJson(settings) as { include: string[] }
  const { exclude } = readJson('tsconfig.build.json') as { exclude: string[] }
  const others = [...exclude.flatMap((path) => [path, `${path}/**`]), '**/node_modules/**', '**/*.d.ts']
  return globSync(
    include.map((folder) => `${folder}/**/*.ts`),
    { cwd: root, exclude: others },
  )
}

/**
 * One file for each of `modules`, and for those that they import and that are not among `known`. The built program carries its
 * workspaces, since a package that was installed elsewhere has none: `@standin/wire/events.ts` becomes the file
 * `packages/wire/events.js` by its relative path.
 */
async function compileModules(modules: readonly string[], known: ReadonlySet<string>, dist: string): Promise<void> {
  const imported = new Set<string>()
  await build({
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    charset: 'utf8',
    logLevel: 'warning',
    treeShaking: false,
    absWorkingDir: root,
    entryPoints: [...modules],
    outbase: root,
    outdir: dist,
    plugins: [separateModules(imported)],
  })
  for (const path of imported) if (path.endsWith('.json')) copyFileSync(join(root, path), join(dist, path))
  const others = [...imported].filter((path) => path.endsWith('.ts') && !known.has(path))
  if (others.length > 0) await compileModules(others, new Set([...known, ...others]), dist)
}

/** No module takes another one in: imports name the built files. Collects those of the project. */
const separateModules = (imported: Set<string>): Plugin => ({
  name: 'separate modules',
  setup({ onResolve }) {
    onResolve({ filter: /./ }, ({ kind, path, importer }) => {
      if (kind === 'entry-point') return null
      if (!/^\.|^@standin\//.test(path)) return { path, external: true }
      const file = path.startsWith('.') ? join(dirname(importer), path) : join(root, pathOf(path))
      imported.add(relative(root, file))
      const fromHere = relative(dirname(importer), file).replace(/\.ts$/, '.js')
      return { path: fromHere.startsWith('.') ? fromHere : `./${fromHere}`, external: true }
    })
  },
})

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(join(root, path), 'utf8'))
}

function entriesOf(place: string, name: string): Record<string, string> {
  const pages = join(root, place, name, 'page')
  const entries = existsSync(pages) ? readdirSync(pages).filter((file) => file.endsWith('.entry.ts')) : []
  return Object.fromEntries(entries.map((file) => [file.replace('.entry.ts', ''), join(pages, file)]))
}

function foldersOf(place: string): string[] {
  return readdirSync(join(root, place), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
}

/** The declarations of the client. Rejects if `tsc`, whose messages go to the terminal, reports an error. */
async function declareClient(dist: string): Promise<void> {
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const given = ['-p', join(root, 'packages/client'), '--outDir', join(dist, 'packages/client')]
  const child = spawn(process.execPath, [compiler, ...given], { stdio: 'inherit' })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error('tsc -p packages/client failed')
}

/** Prints the name of a step when it begins, and its time when it has ended. */
async function step(name: string, work: () => Promise<void>): Promise<void> {
  console.log(`build: ${name} …`)
  const began = performance.now()
  await work()
  console.log(`build: ${name}: ${((performance.now() - began) / 1000).toFixed(1)} s`)
}

/**
 * `--bot` builds the bot and the mock meetings only, and needs no package of the service. `--add` adds the others to what it
 * built.
 */
async function buildInto(dist: string, what: string | undefined): Promise<void> {
  const ofBot = new Set(modulesOf('tsconfig.bot.json'))
  const all = new Set(modulesOf('tsconfig.build.json'))
  if (what === '--add') {
    const before = realpathSync(DIST)
    const filter = (path: string) => !['.built', 'npm'].some((name) => path === join(before, name))
    cpSync(before, dist, { recursive: true, filter })
  }
  await step('types of the API', writeClient)
  const bot = async () => {
    await Promise.all([
      step('bot', () => bundleBot(dist)),
      step('page scripts', () => bundlePageScripts({ dist })),
      step('program', () => compileModules([...ofBot], all, dist)),
    ])
  }
  const others = async () => {
    await Promise.all([
      step('program of the service', () => compileModules([...all.difference(ofBot)], all, dist)),
      step('client', () => declareClient(dist)),
      step('dashboard', () => bundleDashboard(dist)),
      step('pages of the documentation', () => writeHelpPages(join(dist, 'help'))),
    ])
  }
  await Promise.all([what === '--add' ? null : bot(), what === '--bot' ? null : others()])
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    const [, , what] = process.argv
    await replaceBuild(root, what === '--bot' ? 'bot' : 'all', (dist) => buildInto(dist, what))
  } catch (error) {
    console.error(`build: failed: ${error instanceof Error ? error.message : error}`)
    process.exitCode = 1
  }
}
