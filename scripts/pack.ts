/**
 * Packs what the last build wrote as the packages for npm: `node scripts/pack.ts [folder]` writes a tarball of each into
 * the folder (default: `dist/packages`) and prints their paths in the order in which they are published.
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

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

/** In the order in which they are published. */
const PACKAGES: readonly Package[] = [
  {
    of: 'client',
    has: [],
    files: [...DOCUMENTS, 'dist/client'],
    fields: { exports: { '.': { types: './dist/client/index.d.ts', default: './dist/client/index.js' } } },
  },
  {
    of: 'mcp',
    has: ['client'],
    files: [...DOCUMENTS, 'dist/mcp', 'dist/client'],
    fields: { exports: undefined, bin: { 'standin-mcp': 'dist/mcp/main.js' } },
  },
  {
    of: '.',
    has: ['base', 'wire', 'control-plane', 'mock', 'client', 'mcp'],
    files: [...DOCUMENTS, 'README.md', 'CHANGELOG.md', 'bin', 'docs', 'dist', 'scripts/debian-packages'],
    // Chromium, its display and its sound server are Debian packages.
    fields: { bin: { standin: 'bin/standin' }, os: ['linux'], engines: manifestOf('control-plane').engines },
  },
]

/** Paths of the tarballs. Throws if a part is not built, or if two workspaces want different versions of a package. */
export function packAll(folder: string): string[] {
  mkdirSync(folder, { recursive: true })
  const staging = mkdtempSync(join(tmpdir(), 'standin-pack-'))
  try {
    return PACKAGES.map((one, index) => packOne(one, join(staging, `${index}`), folder))
  } finally {
    rmSync(staging, { recursive: true, force: true })
  }
}

function packOne({ of, has, files, fields }: Package, staging: string, folder: string): string {
  mkdirSync(staging)
  for (const file of files) {
    if (!existsSync(join(root, file))) throw new Error(`${file} is not there; run: npm run build`)
    cpSync(join(root, file), join(staging, file), {
      recursive: true,
      filter: (path) => !path.endsWith('/dist/packages'),
    })
  }
  const own = manifestOf(of)
  const manifests = [own, ...has.map(manifestOf)]
  const manifest = { ...own, ...shared(), ...fields, ...dependenciesOf(manifests) }
  for (const needless of ['private', 'workspaces', 'scripts', 'devDependencies', 'files'])
    delete (manifest as Record<string, unknown>)[needless]
  writeFileSync(join(staging, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  if (of === 'mcp') chmodSync(join(staging, 'dist/mcp/main.js'), 0o755)
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

if (process.argv[1] === fileURLToPath(import.meta.url))
  console.log(packAll(resolve(process.argv[2] ?? join(root, 'dist', 'packages'))).join('\n'))
