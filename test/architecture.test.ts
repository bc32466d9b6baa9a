/**
 * Which room may import which (ARCHITECTURE.md). Read from the sources themselves, so that a new file is judged too.
 */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { packageRoot } from '../packages/core/process/page-scripts.ts'
import { importsOf } from '../scripts/imports.ts'
import { pathOf, WORKSPACES } from '../scripts/workspaces.ts'

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

const isOurs = (name: string) => name.startsWith('.') || name.startsWith('@standin/')

function read(file: string): Source {
  const named = importsOf(readFileSync(join(packageRoot, file), 'utf8'))
  const local = named.filter(({ name }) => isOurs(name))
  const fromRoot = (name: string) =>
    name.startsWith('@standin/') ? pathOf(name) : relative(packageRoot, join(packageRoot, dirname(file), name))
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

const sources = globSync('{control-plane,packages,platforms,recorder,src}/**/*.{ts,tsx}', {
  cwd: packageRoot,
  exclude: (path) => path.endsWith('node_modules'),
})
  .sort()
  .map(read)

const PLATFORMS = ['google-meet', 'jitsi', 'microsoft-teams', 'zoom']
/** Rooms that every room of the worker may import. */
const GROUND = ['packages/core', 'packages/wire']
/** Rooms and files that every room of the service may import. */
const SERVICE_GROUND = [
  ...[
    'packages/wire',
    'control-plane/platform',
    'control-plane/platform/ports.ts',
    'control-plane/platform/meters.ts',
    'control-plane/platform/traces.ts',
  ],
  ...['control-plane/store/rows', 'control-plane/bots', 'control-plane/store'],
]

/** Files of the calendars that other rooms may import. */
const CALENDAR_TERMS = ['control-plane/calendars/operations.ts', 'control-plane/calendars/ports.ts']

/** Files about OAuth tokens that other rooms may import. */
const TOKEN_ANSWER = 'control-plane/connections/token-answer.ts'
const OAUTH_TOKENS = 'control-plane/connections/oauth-tokens.ts'

/** Pure files that pages run too, beside their own code. */
const PURE = [
  ...['packages/core/meeting/caption-words.ts', 'packages/core/meeting/resampler.ts'],
  ...['packages/wire/platforms.ts', 'packages/wire/codes.ts', 'packages/wire/file-names.ts'],
  'control-plane/bots/messages/kinds.ts',
]

interface Room {
  /** A folder, or a file. Of two rooms the longer path has the file; page code belongs to the page room of its folder. */
  path: string
  may: readonly string[]
}

/** Every room and the other rooms that it may import. A room may always import itself. */
const ROOMS: Room[] = [
  { path: 'packages/wire', may: [] },
  { path: 'packages/core', may: ['packages/wire'] },

  // The worker: `src` is its top, and no room imports it.
  { path: 'src/run', may: GROUND },
  { path: 'src/control-link', may: GROUND },
  { path: 'src/usage', may: GROUND },
  { path: 'src/job', may: GROUND },
  { path: 'src/machine', may: GROUND },
  {
    path: 'src/wiring',
    may: [
      ...GROUND,
      ...['src/run', 'src/control-link', 'src/job', 'src/machine', 'platforms', 'platforms/browser'],
      ...['recorder', 'src/report', 'src/storage', 'src/streaming', 'src/transcription', 'src/speech', 'src/agent'],
    ],
  },
  {
    path: 'src',
    may: [
      ...[
        ...GROUND,
        'src/run',
        'src/job',
        'src/usage',
        'src/machine',
        'src/wiring',
        'recorder',
        'src/report',
        'src/storage',
      ],
      'src/voice',
    ],
  },
  {
    path: 'src/cli',
    may: [
      ...GROUND,
      'src',
      'src/job',
      'src/machine',
      'src/wiring',
      'platforms/browser',
      'src/report',
      'packages/mock',
      'packages/client',
      'src/speech',
    ],
  },
  { path: 'platforms', may: [...GROUND, 'platforms/shared', ...PLATFORMS.map((name) => `platforms/${name}`)] },
  { path: 'platforms/browser', may: GROUND },
  { path: 'platforms/shared', may: [...GROUND, 'platforms/browser', 'platforms/shared/page'] },
  { path: 'platforms/shared/page', may: GROUND },
  ...PLATFORMS.flatMap((name) => [
    {
      path: `platforms/${name}`,
      may: [...GROUND, 'platforms/browser', 'platforms/shared', 'platforms/shared/page', `platforms/${name}/page`],
    },
    { path: `platforms/${name}/page`, may: [...GROUND, 'platforms/shared/page'] },
  ]),
  { path: 'recorder', may: GROUND },
  { path: 'src/storage', may: GROUND },
  { path: 'src/streaming', may: GROUND },
  { path: 'src/transcription', may: GROUND },
  { path: 'src/speech', may: [...GROUND, 'src/transcription'] },
  { path: 'src/voice', may: [...GROUND, 'src/transcription'] },
  { path: 'src/agent', may: [...GROUND, 'src/transcription'] },
  { path: 'src/report', may: [...GROUND, 'src/report/page', 'packages/page-parts'] },
  { path: 'src/report/page', may: ['packages/page-parts'] },
  // Player, lanes and lines of the report and of the dashboard.
  { path: 'packages/page-parts', may: [] },

  // The service.
  // Small pieces of the service alone.
  { path: 'control-plane/platform', may: ['packages/wire'] },
  { path: 'control-plane/platform/ports.ts', may: ['packages/wire'] },
  { path: 'control-plane/platform/meters.ts', may: ['packages/wire', 'control-plane/platform/ports.ts'] },
  { path: 'control-plane/platform/traces.ts', may: ['control-plane/store/rows'] },
  { path: 'control-plane/store/rows', may: ['packages/wire'] },
  // The rules of a bot are pure: no SQL, no clock, no network.
  { path: 'control-plane/bots', may: ['packages/wire', 'control-plane/platform/ports.ts', 'control-plane/store/rows'] },
  {
    path: 'control-plane/store',
    may: ['packages/wire', 'control-plane/platform/ports.ts', 'control-plane/store/rows', 'control-plane/bots'],
  },
  // A use case is one transaction: it calls the rules and the store.
  { path: 'control-plane/bots/actions', may: SERVICE_GROUND },
  { path: 'control-plane/platform/outgoing', may: ['packages/wire', 'control-plane/platform/ports.ts'] },
  { path: 'control-plane/platform/secrets', may: SERVICE_GROUND },
  { path: 'control-plane/files', may: SERVICE_GROUND },
  { path: 'control-plane/connections/sign-in', may: [...SERVICE_GROUND, TOKEN_ANSWER] },
  { path: 'control-plane/calendars/ports.ts', may: ['control-plane/platform/ports.ts'] },
  {
    path: 'control-plane/calendars/operations.ts',
    may: ['control-plane/store/rows', 'control-plane/bots', 'control-plane/calendars/ports.ts'],
  },
  { path: 'control-plane/calendars/meeting-url.ts', may: ['packages/wire', 'control-plane/calendars/html-texts.ts'] },
  { path: 'control-plane/calendars/html-texts.ts', may: ['packages/wire'] },
  // A provider of calendars implements the terms of the calendars and does not depend on the service.
  {
    path: 'control-plane/calendars/providers',
    may: [
      'packages/wire',
      'control-plane/platform/ports.ts',
      'control-plane/calendars/ports.ts',
      'control-plane/calendars/meeting-url.ts',
      TOKEN_ANSWER,
    ],
  },
  {
    path: 'control-plane/calendars',
    may: [...SERVICE_GROUND, 'control-plane/bots/actions', ...CALENDAR_TERMS, OAUTH_TOKENS, TOKEN_ANSWER],
  },
  { path: TOKEN_ANSWER, may: ['control-plane/platform/ports.ts'] },
  { path: OAUTH_TOKENS, may: SERVICE_GROUND },
  { path: 'control-plane/connections', may: [...SERVICE_GROUND, OAUTH_TOKENS, TOKEN_ANSWER] },
  { path: 'control-plane/control-link', may: [...SERVICE_GROUND, 'control-plane/bots/actions'] },
  { path: 'control-plane/launching', may: [...SERVICE_GROUND, 'control-plane/bots/actions'] },
  { path: 'control-plane/webhooks', may: SERVICE_GROUND },
  { path: 'control-plane/files/jobs', may: [...SERVICE_GROUND, 'control-plane/bots/actions'] },
  { path: 'control-plane/platform/watching', may: SERVICE_GROUND },
  {
    path: 'control-plane/api',
    may: [
      ...[...SERVICE_GROUND, 'control-plane/bots/actions', 'control-plane/platform/secrets', ...CALENDAR_TERMS],
      'packages/mcp',
    ],
  },
  {
    path: 'control-plane/dashboard/page',
    may: ['packages/client', 'packages/page-parts', 'packages/wire', 'control-plane/bots'],
  },
  { path: 'control-plane/dashboard/help/page', may: [] },
  {
    path: 'control-plane/main/config',
    may: [...SERVICE_GROUND, 'control-plane/files', 'control-plane/platform/secrets'],
  },
  {
    path: 'control-plane/main/wiring',
    may: [
      ...SERVICE_GROUND,
      ...['api', 'calendars', 'main/config', 'connections', 'control-link', 'files', 'files/jobs'].map(
        (name) => `control-plane/${name}`,
      ),
      'control-plane/calendars/providers',
      ...[
        'bots/actions',
        'launching',
        'platform/outgoing',
        'platform/secrets',
        'connections/sign-in',
        'platform/watching',
        'webhooks',
      ].map((name) => `control-plane/${name}`),
    ],
  },
  { path: 'control-plane/main', may: [...SERVICE_GROUND, 'control-plane/main/config', 'control-plane/main/wiring'] },
  {
    path: 'control-plane/main/cli',
    may: [
      ...SERVICE_GROUND,
      'control-plane/main',
      ...[
        'api',
        'main/config',
        'files',
        'files/jobs',
        'platform/outgoing',
        'platform/secrets',
        'webhooks',
        'main/wiring',
      ].map((name) => `control-plane/${name}`),
    ],
  },

  { path: 'packages/client', may: [] },
  { path: 'packages/mcp', may: ['packages/client', 'packages/wire'] },
  { path: 'packages/mock', may: ['packages/core', 'packages/wire', 'packages/mock/page'] },
  { path: 'packages/mock/page', may: [] },
]

/** Code that runs in a page. */
const PAGE_CODE = /^(platforms\/[^/]+|packages\/mock|src\/report|control-plane\/dashboard(?:\/help)?)\/(.+\/)?page\//
const isPageCode = (file: string) => PAGE_CODE.test(file) || file.startsWith('packages/page-parts/')
const isIn = (file: string, places: readonly string[]) =>
  places.some((place) => (place.endsWith('/') ? file.startsWith(place) : file === place))

function roomOf(file: string): string | undefined {
  const page = PAGE_CODE.exec(file)
  if (page) return `${page[1]}/page`
  const paths = ROOMS.map(({ path }) => path).filter((path) => file === path || file.startsWith(`${path}/`))
  return paths.sort((a, b) => b.length - a.length)[0]
}

/** The rooms that each room imports, with an import as the proof. */
const imported = new Map<string, Map<string, string>>()
for (const { file, ours } of sources)
  for (const target of ours) {
    const [from, to] = [roomOf(file)!, roomOf(target)!]
    if (from === to) continue
    imported.set(from, (imported.get(from) ?? new Map()).set(to, `${file} → ${target}`))
  }

/** The first ring of rooms that is found from `room` on, or null. */
function ringFrom(room: string, path: string[] = [], done = new Set<string>()): string[] | null {
  if (path.includes(room)) return [...path.slice(path.indexOf(room)), room]
  if (done.has(room)) return null
  for (const next of imported.get(room)?.keys() ?? []) {
    const ring = ringFrom(next, [...path, room], done)
    if (ring) return ring
  }
  done.add(room)
  return null
}

const isOfTheMock = (target: string) => target.startsWith('packages/mock/')

describe('imports', () => {
  test('are read from real sources', () => {
    expect(sources.length).toBeGreaterThan(40)
    expect(sources.find(({ file }) => file === 'src/main.ts')?.ours).toContain('src/run/bot.ts')
  })

  test('each file is in exactly one room, and each room has files', () => {
    expect(sources.filter(({ file }) => roomOf(file) === undefined).map(({ file }) => file)).toEqual([])
    const used = new Set(sources.map(({ file }) => roomOf(file)))
    expect(ROOMS.map(({ path }) => path).filter((path) => !used.has(path))).toEqual([])
    expect(new Set(ROOMS.map(({ path }) => path)).size).toBe(ROOMS.length)
  })

  test.each(ROOMS)('$path imports only what it may', ({ path, may }) => {
    const wrong = [...(imported.get(path) ?? [])].filter(([room]) => !may.includes(room)).map(([, proof]) => proof)
    expect(wrong).toEqual([])
  })

  test.each(ROOMS)('what $path may import, it does import', ({ path, may }) => {
    // The ground is open to all; a permission of another kind that is not used only hides the next mistake.
    const isGround = (room: string) =>
      [...GROUND, ...SERVICE_GROUND, 'platforms/browser', 'platforms/shared/page'].includes(room)
    expect(may.filter((room) => !isGround(room) && !imported.get(path)?.has(room))).toEqual([])
  })

  test('no rooms form a ring', () => {
    expect(ROOMS.map(({ path }) => ringFrom(path)).find((ring) => ring !== null)).toBeUndefined()
  })

  test('a platform imports types only from what runs in its page', () => {
    const wrong = sources.flatMap(({ file, atRunTime }) =>
      isPageCode(file) || !file.startsWith('platforms/')
        ? []
        : atRunTime.filter(isPageCode).map((target) => `${file} → ${target}`),
    )
    expect(wrong).toEqual([])
  })

  test.each(PURE)('%s runs in pages and in programs, and imports nothing', (file) => {
    const { ours, packages } = sources.find((source) => source.file === file)!
    expect([...ours, ...packages]).toEqual([])
  })

  test('what runs in a page imports types only from what runs outside of it', () => {
    const wrong = sources.flatMap(({ file, atRunTime }) =>
      isPageCode(file)
        ? atRunTime
            .filter((target) => !isPageCode(target) && !target.startsWith('packages/client/') && !PURE.includes(target))
            .map((target) => `${file} → ${target}`)
        : [],
    )
    expect(wrong).toEqual([])
  })

  test('the wire imports no package but zod and ipaddr.js', () => {
    const used = sources.filter(({ file }) => file.startsWith('packages/wire/')).flatMap(({ packages }) => packages)
    expect([...new Set(used)].filter((name) => !name.startsWith('node:')).sort()).toEqual(['ipaddr.js', 'zod'])
  })

  test('a workspace is imported by its name from outside, and by paths from inside', () => {
    const folders = globSync(['*/package.json', 'packages/*/package.json'], { cwd: packageRoot }).map(dirname)
    expect(folders.sort()).toEqual([...WORKSPACES].sort())
    const wrong = sources.flatMap(({ file, names }) =>
      names
        .filter(({ name, target }) => {
          const folder = WORKSPACES.find((path) => target.startsWith(`${path}/`))
          return folder !== undefined && file.startsWith(`${folder}/`) === name.startsWith('@standin/')
        })
        .map(({ name }) => `${file} → ${name}`),
    )
    expect(wrong).toEqual([])
  })

  test.each(WORKSPACES)('%s declares the packages that it imports', (folder) => {
    const { dependencies } = JSON.parse(readFileSync(join(packageRoot, folder, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>
    }
    const used = sources.filter(({ file }) => file.startsWith(`${folder}/`)).flatMap(({ packages }) => packages)
    const foreign = [...new Set(used.map(packageOf))].filter((name) => !name.startsWith('node:'))
    expect(Object.keys(dependencies).sort()).toEqual(foreign.sort())
  })

  test('one file of the worker loads the mock meetings, when it is asked to', () => {
    const users = sources.filter(
      ({ file, atRunTime }) => !file.startsWith('packages/mock/') && atRunTime.some(isOfTheMock),
    )
    expect(users.map(({ file }) => file)).toEqual(['src/cli/mock-package.ts'])
    expect(readFileSync(join(packageRoot, 'src/cli/mock-package.ts'), 'utf8')).not.toMatch(/^import/m)
  })

  test('only main.ts and wiring know platforms, recorder, storage and control link', () => {
    const rooms = [
      'platforms/index.ts',
      'recorder/index.ts',
      'src/storage/index.ts',
      'src/streaming/index.ts',
      'src/report/index.ts',
      'src/transcription/index.ts',
      'src/voice/index.ts',
      'src/agent/index.ts',
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
    [
      'ws',
      [
        'src/control-link/',
        'src/speech/',
        'src/streaming/',
        'src/transcription/',
        'packages/mock/',
        'control-plane/control-link/',
      ],
    ],
    ['@aws-sdk/', ['src/storage/', 'control-plane/files/']],
    ['werift', ['packages/mock/']],
    ['selfsigned', ['packages/mock/']],
    ['commander', ['src/cli/', 'control-plane/main/cli/', 'packages/mcp/main.ts']],
    ['htmlparser2', ['control-plane/calendars/html-texts.ts']],
    [
      'ipaddr.js',
      [
        'packages/wire/network/public-addresses.ts',
        'control-plane/main/config/trusted-proxies.ts',
        'control-plane/api/http/forwarded.ts',
      ],
    ],
    ['@deepgram/', ['src/transcription/']],
    ['assemblyai', ['src/transcription/']],
    ['opus-decoder', ['src/transcription/']],
    ['pino', ['packages/core/logger.ts', 'src/main.ts', 'control-plane/main/main.ts']],
    ['kysely', ['control-plane/store/', 'control-plane/store/rows/']],
    ['pg', ['control-plane/store/']],
    ['dockerode', ['control-plane/launching/launchers/']],
    ['@kubernetes/', ['control-plane/launching/launchers/']],
    ['openid-client', ['control-plane/connections/sign-in/']],
    ['@opentelemetry/', ['control-plane/platform/watching/open-telemetry.ts']],
    ['prom-client', ['control-plane/platform/watching/', 'control-plane/api/']],
  ] as const)('%s stays in its place', (name, places) => {
    const users = sources.filter(({ packages }) =>
      packages.some((used) => used === name || used.startsWith(name.endsWith('/') ? name : `${name}-`)),
    )
    expect(users.length).toBeGreaterThan(0)
    expect(users.map(({ file }) => file).filter((file) => !isIn(file, places))).toEqual([])
  })

  test('every room of the program is built, judged here and sent to the image', () => {
    const rooms = new Set(
      globSync('{*,packages/*}/{index.ts,package.json}', { cwd: packageRoot }).map((path) => path.split('/')[0]!),
    )
    expect([...rooms]).toEqual(expect.arrayContaining(['control-plane', 'packages', 'recorder']))
    const { include } = JSON.parse(readFileSync(join(packageRoot, 'tsconfig.build.json'), 'utf8')) as {
      include: string[]
    }
    const sent = readFileSync(join(packageRoot, '.dockerignore'), 'utf8').split('\n')
    const judged = new Set(sources.map(({ file }) => file.split('/')[0]))
    expect(
      [...rooms].filter((room) => !include.includes(room) || !judged.has(room) || !sent.includes(`!${room}`)),
    ).toEqual([])
  })

  test.each(['google-meet', 'jitsi', 'microsoft-teams', 'zoom'])('%s has the files that every platform has', (name) => {
    const has = new Set(globSync('**/*.ts', { cwd: join(packageRoot, 'platforms', name) }))
    const common = ['dialogs', 'driver', 'leaving', 'outcomes', 'page-state', 'words']
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
    expect(readers.map(({ file }) => file)).toEqual([
      'control-plane/main/cli/index.ts',
      'packages/mcp/main.ts',
      'src/cli/index.ts',
    ])
  })
})
