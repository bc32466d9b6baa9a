/** The client for Python: packed, installed into an empty environment, and asked there. Skipped if there is no Python 3.11. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { signatureHeaders } from '@standin/wire/webhook-signature.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { NO_PYTHON, packPython } from '../../../scripts/pack.ts'
import { METHODS, pythonFiles } from '../../../scripts/write-python-client.ts'
import { startReporting } from '../../control-plane/api/reporting.ts'
import { MEET, openWorld } from '../../control-plane/world.ts'
import { REDIRECTS } from './redirects.ts'

const folder = await mkdtemp(join(tmpdir(), 'standin-python-'))
const wheel = packPython(folder)
if (wheel === null) console.warn(NO_PYTHON)

/** The Python of the environment, and what it needs to find the client. */
let python: { program: string; env: NodeJS.ProcessEnv }

const world = await openWorld({ api: {} })
const url = await world.app.listen({ host: '127.0.0.1', port: 0 })

beforeAll(() => {
  if (wheel === null) return
  const environment = join(folder, 'environment')
  const made = spawnSync('python3', ['-m', 'venv', '--without-pip', environment])
  python = { program: join(environment, 'bin/python'), env: {} }
  const pip = ['-m', 'pip', '--python', python.program, 'install', '--no-index', '--quiet', wheel]
  if (made.status === 0 && spawnSync('python3', pip).status === 0) return
  console.warn('There is no python3-venv or python3-pip: Python reads the client from the wheel')
  python = { program: 'python3', env: { PYTHONPATH: wheel } }
})

afterAll(async () => {
  running?.child.stdin.end()
  await rm(folder, { recursive: true, force: true })
})

/** One Python for all tests, which answers line by line. */
function startPython() {
  const script = join(import.meta.dirname, 'python_client.py')
  // Without it the script's own folder would come first.
  const child = spawn(python.program, ['-P', script], {
    env: { ...process.env, ...python.env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  return { child, answers: createInterface({ input: child.stdout })[Symbol.asyncIterator]() }
}
let running: ReturnType<typeof startPython> | undefined

/** Calls the function of python_client.py and resolves with its result. */
async function ask(name: string, values: object): Promise<unknown> {
  running ??= startPython()
  running.child.stdin.write(`${JSON.stringify([name, values])}\n`)
  const { value, done } = await running.answers.next()
  if (done) throw new Error('Python has ended')
  const { answer, error } = JSON.parse(value) as { answer?: unknown; error?: string }
  if (error !== undefined) throw new Error(error)
  return answer
}

test.skipIf(wheel === null)('the operations of the real API, its pages and its refusals', async () => {
  const { key } = await world!.team()
  const later = new Date(Date.now() + 86_400_000).toISOString()
  const ids = (await ask('service', { url, key, meeting: MEET, later })) as string[]
  const rows = await world!.database.selectFrom('bots').select('bot_name').where('id', 'in', ids).execute()
  expect(rows.map((row) => row.bot_name).sort()).toEqual(['Bot 0', 'Bot 1', 'Bot 2', 'Bot 3', 'Bot 4'])
})

test.skipIf(wheel === null)('webhooks of the service are accepted, and nothing else', async () => {
  const [secret, before, other] = ['one', 'two', 'three'].map(
    (text) => `whsec_${Buffer.from(text.repeat(8)).toString('base64')}`,
  )
  const body = JSON.stringify({ event: 'bot.completed', data: { bot_id: 'b' }, extra: { name: 'Ärger' } })
  const headers = signatureHeaders('msg_1', 1_795_255_200, body, [before!, secret!])
  await ask('webhooks', { secret, other, body, headers, now: 1_795_255_200 })
})

test.skipIf(wheel === null)('a request is repeated if that is safe, and only then', async () => {
  await ask('repetitions', { redirects: REDIRECTS })
})

test.skipIf(wheel === null)('a bot is followed over connections that break, once and in order', async () => {
  await ask('following', {})
  const team = await world!.team()
  const bot = await world!.bot(team, { meeting_url: MEET })
  const { report } = await startReporting(world!.database, bot)
  const messages = ['one', 'two', 'three']
  for (const message of messages) await report({ type: 'notice', level: 'info', message })
  const ended = { phase: 'closed', status: 'completed' } as const
  await world!.database.updateTable('bots').set(ended).where('id', '=', bot).execute()
  await ask('stream', { url, key: team.key, bot, messages })
})

test.skipIf(wheel === null)('a downloaded file is whole, and the storage does not get the key', async () => {
  const downloads = join(folder, 'downloads')
  await mkdir(downloads)
  await ask('downloads', { folder: downloads })
})

test.skipIf(wheel === null)('the same sources make the same wheel', async () => {
  const again = join(folder, 'again')
  expect(await readFile(packPython(again)!)).toEqual(await readFile(wheel!))
})

test('each operation of the document is a method, and no name is used twice or for nothing', async () => {
  const document = JSON.parse(await readFile(join(import.meta.dirname, '../../../docs/openapi.json'), 'utf8'))
  const ids = Object.values(document.paths).flatMap((operations) =>
    Object.values(operations as Record<string, { operationId: string }>).map((operation) => operation.operationId),
  )
  expect(Object.keys(METHODS).filter((id) => !ids.includes(id))).toEqual([])
  const { '_operations.py': operations } = pythonFiles(document)
  // The two streams of events are no methods.
  const names = operations.match(/^ {4}def \w+/gm)
  expect(new Set(names).size).toBe(ids.length - 2)
})
