/**
 * Which room may import which (ARCHITECTURE.md). Read from the sources themselves, so that a new file is judged too.
 */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { packageRoot } from '../core/process/page-scripts.ts'

interface Source {
  file: string
  /** Files of ours, as paths from the root. */
  ours: string[]
  /** Those of them from which something is left at run time. */
  atRunTime: string[]
  /** The same as they are written. */
  names: { name: string; target: string }[]
  /** Names of packages, and `node:` modules. */
  packages: string[]
}

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s(?<type>type\s)?[^'"]*?from\s+['"](?<from>[^'"]+)['"]|import\(\s*['"](?<late>[^'"]+)['"]\s*\)|(?:^|\n)import\s+['"](?<bare>[^'"]+)['"]/g

/** A workspace's name is that of its folder: `@standin/wire/events.ts` is the file `wire/events.ts`. */
const WORKSPACES = '@standin/'
const isOurs = (name: string) => name.startsWith('.') || name.startsWith(WORKSPACES)

function read(file: string): Source {
  const text = readFileSync(join(packageRoot, file), 'utf8')
  const named = [...text.matchAll(IMPORT)].map(({ groups }) => ({
    name: groups?.from ?? groups?.late ?? groups?.bare ?? '',
    isType: groups?.type !== undefined,
  }))
  const local = named.filter(({ name }) => isOurs(name))
  const fromRoot = (name: string) =>
    name.startsWith(WORKSPACES)
      ? name.slice(WORKSPACES.length)
      : relative(packageRoot, join(packageRoot, dirname(file), name))
  return {
    file,
    ours: local.map(({ name }) => fromRoot(name)),
    names: local.map(({ name }) => ({ name, target: fromRoot(name) })),
    atRunTime: local.filter(({ isType }) => !isType).map(({ name }) => fromRoot(name)),
    packages: named.map(({ name }) => name).filter((name) => !isOurs(name)),
  }
}

/** The package of an import such as `kysely/migration` or `@aws-sdk/client-s3`. */
function packageOf(name: string): string {
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/')
}

/** Code that runs in a page and imports no other code. It may import types, because they do not exist at run time. */
function isPageCode(file: string): boolean {
  return /\/page\//.test(file)
}

const sources = globSync(
  '{base,wire,control-plane,core,src,platforms,recorder,storage,streaming,report,transcription,mock,client,mcp}/**/*.{ts,tsx}',
  { cwd: packageRoot, exclude: (path) => path.endsWith('node_modules') },
)
  .sort()
  .map(read)

/** Folders that all code may import. They import Node, small libraries and each other. */
const LEAVES = [
  'wire/',
  'core/',
  'base/',
  'platforms/browser/home.ts',
  'platforms/browser/session.ts',
  'platforms/browser/state.ts',
  'platforms/browser/unpack-tar.ts',
]
const RUN = 'src/run/'
const isIn = (file: string, places: readonly string[]) =>
  places.some((place) => (place.endsWith('/') ? file.startsWith(place) : file === place))

/** The imports of ours that a file in `from` may have. */
const RULES: { name: string; from: (file: string) => boolean; may: (target: string, file: string) => boolean }[] = [
  {
    name: 'the wire imports nothing of the project',
    from: (file) => file.startsWith('wire/'),
    may: (target) => target.startsWith('wire/'),
  },
  { name: 'leaves import leaves', from: (file) => isIn(file, LEAVES), may: (target) => isIn(target, LEAVES) },
  {
    name: 'the run of a bot imports leaves and itself',
    from: (file) => file.startsWith(RUN),
    may: (target) => isIn(target, [...LEAVES, RUN]),
  },
  {
    name: 'what runs in a page imports only what runs in a page',
    from: isPageCode,
    may: (target, file) =>
      (/^(platforms|mock|report|control-plane\/dashboard)\/(.+\/)?page\//.test(target) &&
        target.split('/')[0] === file.split('/')[0]) ||
      (file.startsWith('control-plane/dashboard/') && target.startsWith('client/')),
  },
  {
    name: 'a platform imports leaves, what platforms share and itself',
    from: (file) => /^platforms\/[^/]+\//.test(file) && !isPageCode(file),
    may: (target, file) =>
      isIn(target, [
        ...LEAVES,
        'platforms/browser/',
        'platforms/shared/',
        `${file.split('/').slice(0, 2).join('/')}/`,
      ]) && !isPageCode(target),
  },
  {
    name: 'the recorder imports leaves and itself',
    from: (file) => file.startsWith('recorder/'),
    may: (target) => isIn(target, [...LEAVES, 'recorder/']),
  },
  {
    name: 'storage imports leaves and itself',
    from: (file) => file.startsWith('storage/'),
    may: (target) => isIn(target, [...LEAVES, 'storage/']),
  },
  {
    name: 'transcription imports leaves and itself',
    from: (file) => file.startsWith('transcription/'),
    may: (target) => isIn(target, [...LEAVES, 'transcription/']),
  },
  {
    name: 'the report imports leaves and itself',
    from: (file) => file.startsWith('report/') && !isPageCode(file),
    may: (target) => isIn(target, [...LEAVES, 'report/']),
  },
  {
    name: 'streaming imports leaves and itself',
    from: (file) => file.startsWith('streaming/'),
    may: (target) => isIn(target, [...LEAVES, 'streaming/']),
  },
  {
    name: 'the control plane imports the wire and itself',
    from: (file) => file.startsWith('control-plane/') && !isPageCode(file),
    may: (target) => isIn(target, ['wire/', 'control-plane/']),
  },
  {
    name: 'the rules of a bot on the server are pure: of the store they know the types of rows',
    from: (file) => file.startsWith('control-plane/bots/'),
    may: (target) =>
      isIn(target, ['wire/', 'control-plane/bots/', 'control-plane/rows/index.ts', 'control-plane/ports.ts']),
  },
  {
    name: 'the store knows the rules, and no other room',
    from: (file) => file.startsWith('control-plane/store/'),
    may: (target) =>
      isIn(target, [
        'wire/',
        'control-plane/rows/',
        'control-plane/bots/',
        'control-plane/store/',
        'control-plane/ports.ts',
      ]),
  },
  {
    name: 'a provider of calendars knows what the calendars need of it, and nothing of the service',
    from: (file) => file.startsWith('control-plane/calendars/providers/'),
    may: (target) =>
      isIn(target, [
        'control-plane/calendars/providers/',
        'control-plane/calendars/ports.ts',
        'control-plane/calendars/meeting-url.ts',
        'control-plane/ports.ts',
      ]),
  },
  {
    name: 'the API knows of the calendars what they offer, and not how they do it',
    from: (file) => file.startsWith('control-plane/api/'),
    may: (target) =>
      !target.startsWith('control-plane/calendars/') ||
      isIn(target, ['control-plane/calendars/operations.ts', 'control-plane/calendars/ports.ts']),
  },
  {
    name: 'the calendars know the store, and no other room',
    from: (file) => file.startsWith('control-plane/calendars/'),
    may: (target) =>
      isIn(target, [
        'wire/',
        'control-plane/ports.ts',
        'control-plane/rows/',
        'control-plane/bots/',
        'control-plane/store/',
        'control-plane/meters.ts',
        'control-plane/calendars/',
      ]),
  },
  {
    name: 'the alerts know the store, and no other room',
    from: (file) => file.startsWith('control-plane/alerts/'),
    may: (target) =>
      isIn(target, [
        'control-plane/ports.ts',
        'control-plane/rows/',
        'control-plane/bots/',
        'control-plane/store/',
        'control-plane/alerts/',
      ]),
  },
  {
    name: 'other rooms of the service know nothing of how alerts are done',
    from: (file) =>
      file.startsWith('control-plane/') &&
      !/^control-plane\/(alerts\/|cli\/|wiring\/|[^/]+$)/.test(file) &&
      !isPageCode(file),
    may: (target) => !target.startsWith('control-plane/alerts/'),
  },
  {
    name: 'the mock meetings know nothing of the bot but the leaves',
    from: (file) => file.startsWith('mock/') && !isPageCode(file),
    may: (target) => isIn(target, [...LEAVES, 'mock/']),
  },
  {
    name: 'the client of the API knows nothing of the service but its documents',
    from: (file) => file.startsWith('client/'),
    may: (target) => target.startsWith('client/'),
  },
  {
    name: 'the server for assistants imports the client and itself',
    from: (file) => file.startsWith('mcp/'),
    may: (target) => isIn(target, ['client/', 'mcp/']),
  },
]

const isOfTheMock = (target: string) => target.startsWith('mock/')

describe('imports', () => {
  test('are read from real sources', () => {
    expect(sources.length).toBeGreaterThan(40)
    expect(sources.find(({ file }) => file === 'src/main.ts')?.ours).toContain('src/run/bot.ts')
  })

  test.each(RULES)('$name', ({ from, may }) => {
    const judged = sources.filter(({ file }) => from(file))
    expect(judged.length).toBeGreaterThan(0)
    const counts = ({ file, atRunTime }: Source, target: string) =>
      isPageCode(file) === isPageCode(target) || atRunTime.includes(target)
    const wrong = judged.flatMap((source) =>
      source.ours
        .filter((target) => counts(source, target) && !may(target, source.file))
        .map((target) => `${source.file} → ${target}`),
    )
    expect(wrong).toEqual([])
  })

  test('the wire imports no package but zod', () => {
    const used = sources.filter(({ file }) => file.startsWith('wire/')).flatMap(({ packages }) => packages)
    expect([...new Set(used)]).toEqual(['zod'])
  })

  test('a workspace is imported by its name from outside, and by paths from inside', () => {
    const folders = globSync('*/package.json', { cwd: packageRoot }).map(dirname)
    expect(folders.sort()).toEqual(['base', 'client', 'control-plane', 'mcp', 'mock', 'wire'])
    const wrong = sources.flatMap(({ file, names }) =>
      names
        .filter(({ name, target }) => {
          const folder = target.split('/')[0]!
          if (!folders.includes(folder)) return false
          return (file.split('/')[0] === folder) === name.startsWith(WORKSPACES)
        })
        .map(({ name }) => `${file} → ${name}`),
    )
    expect(wrong).toEqual([])
  })

  test.each(['base', 'wire', 'mock', 'control-plane', 'client', 'mcp'])(
    '%s declares the packages that it imports',
    (folder) => {
      const { dependencies } = JSON.parse(readFileSync(join(packageRoot, folder, 'package.json'), 'utf8')) as {
        dependencies: Record<string, string>
      }
      const used = sources.filter(({ file }) => file.startsWith(`${folder}/`)).flatMap(({ packages }) => packages)
      const foreign = [...new Set(used.map(packageOf))].filter((name) => !name.startsWith('node:'))
      expect(Object.keys(dependencies).sort()).toEqual(foreign.sort())
    },
  )

  test('one file of the worker loads the mock meetings, when it is asked to', () => {
    const users = sources.filter(({ file, atRunTime }) => !file.startsWith('mock/') && atRunTime.some(isOfTheMock))
    expect(users.map(({ file }) => file)).toEqual(['src/cli/mock-package.ts'])
    expect(readFileSync(join(packageRoot, 'src/cli/mock-package.ts'), 'utf8')).not.toMatch(/^import/m)
  })

  test('only main.ts and wiring know platforms, recorder, storage and control link', () => {
    const rooms = [
      'platforms/index.ts',
      'recorder/index.ts',
      'storage/index.ts',
      'streaming/index.ts',
      'report/index.ts',
      'transcription/index.ts',
      'src/control-link/client.ts',
      'src/control-link/local.ts',
    ]
    const users = sources.filter(
      ({ file, ours }) =>
        ours.some((target) => rooms.includes(target)) && !rooms.some((room) => dirname(room) === dirname(file)),
    )
    expect(users.map(({ file }) => file).filter((file) => !isIn(file, ['src/main.ts', 'src/wiring/']))).toEqual([])
    expect(users.length).toBeGreaterThan(3)
  })

  test('the program does not import its command line', () => {
    const wrong = sources.filter(
      ({ file, ours }) => !file.startsWith('src/cli/') && ours.some((target) => target.startsWith('src/cli/')),
    )
    expect(wrong.map(({ file }) => file)).toEqual([])
  })

  test('src has at most four loose files', () => {
    expect(sources.filter(({ file }) => /^src\/[^/]+$/.test(file)).length).toBeLessThanOrEqual(4)
  })

  test('shipped code imports nothing from the tests', () => {
    const wrong = sources.filter(({ ours }) => ours.some((target) => /^(test|scripts|bench)\//.test(target)))
    expect(wrong.map(({ file }) => file)).toEqual([])
  })

  test.each([
    ['playwright', ['platforms/']],
    ['ws', ['src/control-link/', 'streaming/', 'mock/', 'control-plane/control-link/']],
    ['@aws-sdk/', ['storage/', 'control-plane/files/']],
    ['werift', ['mock/']],
    ['selfsigned', ['mock/']],
    ['commander', ['src/cli/', 'control-plane/cli/', 'mcp/main.ts']],
    ['htmlparser2', ['control-plane/calendars/links-in-text.ts']],
    [
      'ipaddr.js',
      ['core/network/address-policy.ts', 'control-plane/outgoing/', 'control-plane/config/trusted-proxies.ts'],
    ],
    ['@deepgram/', ['transcription/']],
    ['assemblyai', ['transcription/']],
    ['pino', ['core/logger.ts', 'src/main.ts', 'control-plane/main.ts']],
    ['kysely', ['control-plane/store/', 'control-plane/rows/']],
    ['pg', ['control-plane/store/']],
    ['nodemailer', ['control-plane/outgoing/mailer.ts']],
    ['dockerode', ['control-plane/launching/launchers/']],
    ['@kubernetes/', ['control-plane/launching/launchers/']],
    ['openid-client', ['control-plane/sign-in/']],
    ['@opentelemetry/', ['control-plane/watching/open-telemetry.ts']],
    ['prom-client', ['control-plane/watching/', 'control-plane/api/', 'control-plane/wiring/probes.ts']],
  ] as const)('%s stays in its place', (name, places) => {
    const users = sources.filter(({ packages }) =>
      packages.some((used) => used === name || used.startsWith(name.endsWith('/') ? name : `${name}-`)),
    )
    expect(users.length).toBeGreaterThan(0)
    expect(users.map(({ file }) => file).filter((file) => !isIn(file, places))).toEqual([])
  })

  test('every room of the program is built, judged here and sent to the image', () => {
    const rooms = globSync('*/{index.ts,package.json}', { cwd: packageRoot }).map(dirname).sort()
    expect(rooms).toEqual(expect.arrayContaining(['streaming', 'wire']))
    const { include } = JSON.parse(readFileSync(join(packageRoot, 'tsconfig.build.json'), 'utf8')) as {
      include: string[]
    }
    const sent = readFileSync(join(packageRoot, '.dockerignore'), 'utf8').split('\n')
    const judged = new Set(sources.map(({ file }) => file.split('/')[0]))
    expect(rooms.filter((room) => !include.includes(room) || !judged.has(room) || !sent.includes(`!${room}`))).toEqual(
      [],
    )
  })

  test.each(['google-meet', 'jitsi', 'microsoft-teams', 'zoom'])('%s has the files that every platform has', (name) => {
    const has = new Set(globSync('**/*.ts', { cwd: join(packageRoot, 'platforms', name) }))
    const common = ['dialogs', 'driver', 'leaving', 'outcomes', 'page-state', 'selectors', 'url', 'words', 'words/en']
    const page = ['audio-capture', 'chat', 'elements', 'main', 'snapshot', 'speech', 'tiles', 'types'].map(
      (file) => `page/${file}`,
    )
    expect([...common, ...page].filter((file) => !has.has(`${file}.ts`))).toEqual([])
    // Zoom joins in two ways, which have a folder each.
    const flows = name === 'zoom' ? ['web-client/join-flow.ts', 'meeting-sdk/join-flow.ts'] : ['join-flow.ts']
    const classifier = name === 'zoom' ? 'web-client/page-classifier.ts' : 'page-classifier.ts'
    expect([...flows, classifier].filter((file) => !has.has(file))).toEqual([])
  })

  test('the page scripts of all platforms start from one skeleton, and their entries only list the parts', () => {
    const entries = sources.filter(({ file }) => /^platforms\/(.+\/)?page\/main\.ts$/.test(file))
    expect(entries.length).toBe(5)
    const lines = (file: string) => readFileSync(join(packageRoot, file), 'utf8').split('\n').length
    const wrong = entries.filter(
      ({ file, ours }) => !ours.includes('platforms/shared/page/start-page.ts') || lines(file) > 105,
    )
    expect(wrong.map(({ file }) => file)).toEqual([])
  })

  test('the environment is read in one place', () => {
    const readers = sources.filter(({ file }) => /process\.env/.test(readFileSync(join(packageRoot, file), 'utf8')))
    expect(readers.map(({ file }) => file)).toEqual(['control-plane/cli/index.ts', 'mcp/main.ts', 'src/cli/index.ts'])
  })
})
