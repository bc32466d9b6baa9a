/** `standin service config` and `doctor` on a separate database. */

import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { run as runCommand } from '@standin/control-plane/main/cli/run.ts'
import { newSealKey } from '@standin/control-plane/platform/secrets/seals.ts'
import type { Finding } from '@standin/wire/text/findings.ts'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../fakes/at-end.ts'
import { inProcess } from '../../../fakes/in-process.ts'
import { openWorld } from '../../world.ts'

const secretKeys = newSealKey('k1')

const folder = temporaryFolder()
const db = await openWorld()

function run(args: readonly string[], environment: Record<string, string> = {}) {
  const own = { DATABASE_URL: db.url, STANDIN_SECRET_KEYS: secretKeys, STANDIN_DATA: folder }
  return inProcess(runCommand, args, { ...own, ...environment })
}

test('config names the place of each setting and hides every secret', async () => {
  const file = join(folder, 'more.env')
  await writeFile(file, 'STANDIN_HOST=::1\nSTANDIN_PORT=7000\nSTANDIN_DEEPGRAM_KEY=deep-secret\nSTANDIN_MAX_BTS=3\n')
  const speech = 'https://user:hidden-password@speech.example/v1?token=hidden-token'
  const variables = { STANDIN_TRANSCRIPTION_URL: speech, STANDIN_LOG_LEVEL: 'warn' }
  const args = ['config', '--env-file', file, '--port', '9000']
  const { exitCode, out } = await run([...args, '--json'], variables)
  expect(exitCode).toBe(0)
  const rows = new Map((JSON.parse(out) as { setting: string }[]).map(({ setting, ...rest }) => [setting, rest]))
  expect(rows.get('STANDIN_PORT')).toEqual({ value: '9000', from: '--port' })
  expect(rows.get('STANDIN_HOST')).toEqual({ value: '::1', from: file })
  expect(rows.get('STANDIN_LOG_LEVEL')).toEqual({ value: 'warn', from: 'STANDIN_LOG_LEVEL' })
  expect(rows.get('STANDIN_LAUNCHER')).toEqual({ value: 'process', from: 'default' })
  expect(rows.get('STANDIN_SECRET_KEYS')).toEqual({ value: '(hidden)', from: 'STANDIN_SECRET_KEYS' })
  const plain = await run(args, variables)
  expect(plain.out).toContain('did you mean STANDIN_MAX_BOTS?')
  for (const secret of [secretKeys, db.url, 'deep-secret', 'hidden-password', 'hidden-token'])
    expect(out + plain.out).not.toContain(secret)
})

test('an unknown command is named with the one that was probably meant', async () => {
  const { exitCode, errors } = await run(['confg'])
  expect({ exitCode, errors }).toEqual({
    exitCode: 2,
    errors: expect.stringMatching(/'confg'\n\(Did you mean config\?\)/),
  })
})

/** A recording whose files are nowhere. */
async function lostRecording(): Promise<void> {
  const ended = { attempt: 1, joined_attempt: 1, ended_at: new Date() }
  const id = await db.addBot(await db.teamId(), ended)
  const file = { bot_id: id, attempt: 1, name: 'video.mp4', location: `${id}/1/${id}/video.mp4`, bytes: 1 }
  await db.insert('artifacts', file)
}

test('the doctor tries every part, also after one that fails', async () => {
  const models = createServer((request, answer) => {
    answer.statusCode = request.headers.authorization === 'Bearer speech-secret' ? 200 : 401
    answer.end('{}')
  }).listen(0, '127.0.0.1')
  await new Promise((done) => models.once('listening', done))
  const { port } = models.address() as AddressInfo
  const environment = {
    STANDIN_TRANSCRIPTION_URL: `http://127.0.0.1:${port}/v1`,
    STANDIN_TRANSCRIPTION_KEY: 'speech-secret',
    STANDIN_LAUNCHER: 'docker',
    STANDIN_LINK_URL: 'ws://bots.example/link',
    DOCKER_HOST: 'unix:///nowhere.sock',
    // Taken by the server above, which is no service.
    STANDIN_PORT: String(port),
  }
  await lostRecording()
  const good = await run(['doctor', '--json'], environment)
  expect(good.exitCode).toBe(1)
  const { fit, findings } = JSON.parse(good.out) as { fit: boolean; findings: Finding[] }
  expect(fit).toBe(false)
  expect(findings.map(({ part, verdict }) => `${part}: ${verdict}`)).toEqual([
    'Database: fit',
    'Clock: fit',
    'Storage: fit',
    'Recordings: warning',
    'Speech service: fit',
    'Bots: unfit',
    'Port: unfit',
  ])
  expect(findings.find(({ part }) => part === 'Recordings')).toMatchObject({
    found: expect.stringMatching(/^1 of the 1 newest recordings is not .* folder .*recordings has no /),
    cure: expect.stringContaining('move the files there'),
  })
  const bad = await run(['doctor'], {
    ...environment,
    DATABASE_URL: 'postgresql://u:db-password@127.0.0.1:9/none',
    STANDIN_STORAGE: 'folder:/dev/null/recordings',
    STANDIN_TRANSCRIPTION_KEY: 'wrong-secret',
  })
  models.close()
  expect(bad.exitCode).toBe(1)
  expect(bad.out).toMatch(/✗ Database .*\n.*→.*\n✗ Storage .*\/dev\/null.*\n.*→.*\n! Speech service .*refuses the key/)
  expect(bad.out).toMatch(/The service cannot run here yet: Database, Storage, Port\.\n$/)
  expect(good.out + bad.out + bad.errors).not.toMatch(/speech-secret|wrong-secret|db-password/)
})
