/** The program `standin service` itself: its exit code and its pipes. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { newSealKey } from '@standin/control-plane/secrets/seals.ts'
import { createTeam } from '@standin/control-plane/store/teams/teams.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PROGRAM_ENVIRONMENT } from '../../servers/program-environment.ts'
import { openTestDatabase, type TestDatabase } from '../postgres.ts'

const PROGRAM = join(import.meta.dirname, '../../../control-plane/cli/index.ts')
let folder: string
let db: TestDatabase

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'standin-program-'))
  db = await openTestDatabase()
  await createTeam(db.database, 'Team')
})
afterAll(async () => {
  await db.close()
  await rm(folder, { recursive: true, force: true })
})

/** `$0` is Node, and `$1` the program. */
function shell(script: string) {
  const own = { DATABASE_URL: db.url, STANDIN_SECRET_KEYS: newSealKey('k1'), STANDIN_DATA: folder }
  const env = { ...PROGRAM_ENVIRONMENT, ...own }
  return promisify(execFile)('sh', ['-c', script, process.execPath, PROGRAM], { env, cwd: folder })
}

test('a backup goes through pipes, and a refused one ends the command', async () => {
  await expect(shell('"$0" "$1" backup - | "$0" "$1" restore -')).rejects.toMatchObject({
    ...{ code: 2, stderr: expect.stringContaining('The database is not empty') },
  })
})

test('a reader of the output that is gone does not end a command in the middle', async () => {
  const { stdout, stderr } = await shell('{ "$0" "$1" --help; echo "ended with $?" >&2; } | true')
  expect({ stdout, stderr }).toEqual({ stdout: '', stderr: 'ended with 0\n' })
})
