/** The packages for npm, installed from their tarballs in an empty project and run there. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { packageRoot } from '../../packages/core/process/page-scripts.ts'
import { packAll } from '../../scripts/pack.ts'

const run = promisify(execFile)

let folder: string
let packages: Record<'client' | 'mcp' | 'standin', string>

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'standin-packages-'))
  const [client, mcp, standin] = packAll(folder) as [string, string, string]
  packages = { client, mcp, standin }
}, 300_000)

afterAll(() => rm(folder, { recursive: true, force: true }))

/** The project, with these packages installed from their tarballs and all others from npm. */
async function projectWith(...tarballs: string[]): Promise<string> {
  const project = await mkdtemp(join(folder, 'project-'))
  await writeFile(join(project, 'package.json'), '{ "name": "empty", "type": "module" }')
  // Optional packages are a Node, PostgreSQL and Zoom's SDK: 400 MB, and no command of this test needs them.
  const options = ['--prefer-offline', '--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund']
  await run('npm', ['install', ...options, ...tarballs], { cwd: project, maxBuffer: 2 ** 26 })
  return project
}

test('client: JavaScript that runs, and types that a compiler reads', async () => {
  const project = await projectWith(packages.client)
  await writeFile(
    join(project, 'use.ts'),
    `import { answerOf, createStandinClient, type Schemas, StandinApiError } from '@standin/client'
const { v2 } = createStandinClient({ baseUrl: 'http://127.0.0.1:9', apiKey: 'none', fetch: async () => new Response('{"success":true,"data":{"bot_id":"b"}}', { status: 201, headers: { 'content-type': 'application/json' } }) })
const { data } = await answerOf(v2.POST('/v2/bots', { body: { bot_name: 'Notes', meeting_url: 'https://meet.google.com/abc-defg-hij' } }))
const id: string = data.bot_id
// @ts-expect-error: a bot has a name.
v2.POST('/v2/bots', { body: { meeting_url: 'https://meet.google.com/abc-defg-hij' } })
console.log(id, new StandinApiError('x', { status: 1, code: null, retryAfter: null }).name)
`,
  )
  const compiler = join(packageRoot, 'node_modules/typescript/bin/tsc')
  const options = ['--strict', '--target', 'es2022', '--module', 'nodenext', '--lib', 'es2022,dom']
  await run(process.execPath, [compiler, ...options, join(project, 'use.ts')], { cwd: project }).catch((error) => {
    throw new Error(error.stdout)
  })
  const { stdout } = await run(process.execPath, ['use.js'], { cwd: project })
  expect(stdout).toBe('b StandinApiError\n')
})

test('mcp: starts as an assistant starts it', async () => {
  const project = await projectWith(packages.mcp)
  const hello = { jsonrpc: '2.0', id: 1, method: 'initialize' }
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  const running = run(join(project, 'node_modules/.bin/standin-mcp'), ['--url', 'http://127.0.0.1:9'], {
    env: { ...process.env, STANDIN_API_KEY: 'no-such-key' },
  })
  running.child.stdin!.end(`${JSON.stringify({ ...hello, params })}\n`)
  const { stdout } = await running
  const { version } = JSON.parse(await readFile(join(packageRoot, 'package.json'), 'utf8'))
  expect(JSON.parse(stdout)).toMatchObject({ result: { serverInfo: { version } } })
})

test('standin: every program starts, those of the bot, the service, the assistants and the mock meetings', async () => {
  const project = await projectWith(packages.standin)
  const standin = (...args: string[]) =>
    run(join(project, 'node_modules/.bin/standin'), args, { cwd: project }).then(({ stdout }) => stdout)
  const { version } = JSON.parse(await readFile(join(packageRoot, 'package.json'), 'utf8'))
  expect(await standin('--version')).toBe(`${version}\n`)
  expect(await standin('service', '--help')).toContain('Runs the service')
  expect(await standin('mcp', '--help')).toContain('Model Context Protocol')
  const mock = run(join(project, 'node_modules/.bin/standin'), ['mock', 'meet'], { cwd: project })
  const lines: string[] = []
  for await (const line of createInterface({ input: mock.child.stdout! })) {
    lines.push(line)
    if (line.includes('--map-host meet.google.com=')) break
  }
  mock.child.kill('SIGTERM')
  await mock.catch(() => null)
  expect(lines.join('\n')).toContain('--map-host meet.google.com=127.0.0.1:')
})
