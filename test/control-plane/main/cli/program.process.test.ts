/** The program `standin service` itself: its exit code and its pipes. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { newSealKey } from '@standin/control-plane/platform/secrets/seals.ts'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../fakes/at-end.ts'
import { PROGRAM_ENVIRONMENT } from '../../../servers/program-environment.ts'
import { openDatabaseWithClock } from '../../postgres.ts'

const PROGRAM = join(import.meta.dirname, '../../../../control-plane/main/cli/index.ts')

test('a reader of the output that is gone does not end a command in the middle', async () => {
  // `$0` is Node, and `$1` the program.
  const script = '{ "$0" "$1" --help; echo "ended with $?" >&2; } | true'
  const { stdout, stderr } = await promisify(execFile)('sh', ['-c', script, process.execPath, PROGRAM], {
    env: PROGRAM_ENVIRONMENT,
  })
  expect({ stdout, stderr }).toEqual({ stdout: '', stderr: 'ended with 0\n' })
})

test('a start that fails when its server listens already ends the process', async () => {
  const { url, database } = await openDatabaseWithClock(1)
  await sql`create or replace function public.clock_timestamp() returns timestamptz language sql as $$
    select case current_setting('application_name') when 'standin launcher' then null
      else pg_catalog.clock_timestamp() end $$`.execute(database)
  const started = promisify(execFile)(process.execPath, [PROGRAM, '--data', temporaryFolder(), '--port', '0'], {
    env: { ...PROGRAM_ENVIRONMENT, DATABASE_URL: url, STANDIN_SECRET_KEYS: newSealKey('k1') },
    timeout: 90_000,
  })
  await expect(started).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('getTime') })
})
