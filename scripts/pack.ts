/**
 * Packs what the last build wrote as the packages for npm, and the client for Python: `node scripts/pack.ts [folder]` writes a
 * tarball of each and a wheel into the folder (default: `dist/npm`) and prints their paths in the order in which they are
 * published.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { WORKSPACES } from './workspaces.ts'
import { writePythonClient } from './write-python-client.ts'

const root = join(import.meta.dirname, '..')

interface Manifest {
  name: string
  version: string
  description: string
  keywords?: string[]
  license: string
  repository?: unknown
  homepage?: string
  bugs?: unknown
  engines?: Record<string, string>
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

interface Package {
  /** The workspace whose manifest names the package; '.' is the project's own. */
  of: string
  /** The workspaces whose code the package has. Their dependencies are its own, since npm would not find them. */
  has: readonly string[]
  /** Copied from the project's folder. */
  files: readonly string[]
  fields: Readonly<Record<string, unknown>>
}

const DOCUMENTS = ['LICENSE']
export const NO_PYTHON =
  'The client for Python was not packed: there is no python3 of version 3.11 or newer (apt-get install python3)'

/** In the order in which they are published. */
const PACKAGES: readonly Package[] = [
  {
    of: 'packages/client',
    has: [],
    files: [...DOCUMENTS, 'dist/packages/client'],
    fields: {
      exports: { '.': { types: './dist/packages/client/index.d.ts', default: './dist/packages/client/index.js' } },
    },
  },
  {
    of: 'packages/mcp',
    has: ['packages/client', 'packages/wire'],
    files: [...DOCUMENTS, 'dist/packages/mcp', 'dist/packages/client', 'dist/packages/wire'],
    fields: { exports: undefined, bin: { 'standin-mcp': 'dist/packages/mcp/main.js' } },
  },
  {
    of: '.',
    has: WORKSPACES,
    files: [...DOCUMENTS, 'README.md', 'CHANGELOG.md', 'bin', 'docs', 'dist', 'scripts/debian-packages'],
    // Chromium, its display and its sound server are Debian packages.
    fields: { bin: { standin: 'bin/standin' }, os: ['linux'], engines: manifestOf('control-plane').engines },
  },
]

/** Paths of the tarballs. Throws if a part is not built, or if two workspaces want different versions of a package. */
export function packAll(folder: string): string[] {
  mkdirSync(folder, { recursive: true })
  const staging = mkdtempSync(join(tmpdir(), 'standin-pack-'))
  // One build, although another one may replace it meanwhile.
  const dist = existsSync(join(root, 'dist')) ? realpathSync(join(root, 'dist')) : join(root, 'dist')
  try {
    return PACKAGES.map((one, index) => packOne(one, dist, join(staging, `${index}`), folder))
  } finally {
    rmSync(staging, { recursive: true, force: true })
  }
}

/** Path of the wheel of `packages/client/python`; null if this machine has no Python that can build it. */
export function packPython(folder: string): string | null {
  const isNew = 'import sys; sys.exit(sys.version_info < (3, 11))'
  if (spawnSync('python3', ['-c', isNew]).status !== 0) return null
  mkdirSync(folder, { recursive: true })
  const staging = mkdtempSync(join(tmpdir(), 'standin-pack-'))
  try {
    cpSync(join(root, 'packages/client/python'), staging, {
      recursive: true,
      filter: (path) => !path.endsWith('__pycache__'),
    })
    cpSync(join(root, 'LICENSE'), join(staging, 'LICENSE'))
    writePythonClient(join(staging, 'standin_client'))
    const name = execFileSync('python3', [join(staging, 'backend.py'), folder], { encoding: 'utf8' })
    return join(folder, name.trim())
  } finally {
    rmSync(staging, { recursive: true, force: true })
  }
}

function packOne({ of, has, files, fields }: Package, dist: string, staging: string, folder: string): string {
  mkdirSync(staging)
  for (const file of files) {
    const source = /^dist(\/|$)/.test(file) ? join(dist, file.slice('dist'.length)) : join(root, file)
    if (!existsSync(source)) throw new Error(`${file} is not there; run: npm run build`)
    cpSync(source, join(staging, file), {
      recursive: true,
      filter: (path) => !/\/dist\/(npm|\.built)$/.test(path),
    })
  }
  const own = manifestOf(of)
  const manifests = [own, ...has.map(manifestOf)]
  const manifest = { ...own, ...shared(), ...fields, ...dependenciesOf(manifests) }
  for (const needless of ['private', 'workspaces', 'scripts', 'devDependencies', 'files'])
    delete (manifest as Record<string, unknown>)[needless]
  writeFileSync(join(staging, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  if (of === 'packages/mcp') chmodSync(join(staging, 'dist/packages/mcp/main.js'), 0o755)
  const answer = execFileSync('npm', ['pack', '--json', '--pack-destination', folder, staging], { encoding: 'utf8' })
  const parsed: unknown = JSON.parse(answer)
  const [packed] = (Array.isArray(parsed) ? parsed : Object.values(parsed as object)) as { filename: string }[]
  return join(folder, packed!.filename.replace('@', '').replace('/', '-'))
}

function manifestOf(workspace: string): Manifest {
  return JSON.parse(readFileSync(join(root, workspace, 'package.json'), 'utf8')) as Manifest
}

/** The fields that stand once, in the project's own manifest. */
function shared(): Partial<Manifest> {
  const { version, license, repository, homepage, bugs } = manifestOf('.')
  return { version, license, repository, homepage, bugs }
}

function dependenciesOf(manifests: readonly Manifest[]): Pick<Manifest, 'dependencies' | 'optionalDependencies'> {
  return {
    dependencies: merged(manifests.map(({ dependencies }) => dependencies)),
    optionalDependencies: merged(manifests.map(({ optionalDependencies }) => optionalDependencies)),
  }
}

function merged(all: readonly (Record<string, string> | undefined)[]): Record<string, string> {
  const ranges: Record<string, string> = {}
  for (const [name, range] of all.flatMap((one) => Object.entries(one ?? {}))) {
    if (ranges[name] !== undefined && ranges[name] !== range)
      throw new Error(`${name}: one workspace wants ${ranges[name]}, another one ${range}`)
    ranges[name] = range
  }
  return Object.fromEntries(Object.entries(ranges).sort(([a], [b]) => (a < b ? -1 : 1)))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = resolve(process.argv[2] ?? join(root, 'dist', 'npm'))
  console.log(packAll(folder).join('\n'))
  console.log(packPython(folder) ?? NO_PYTHON)
}
