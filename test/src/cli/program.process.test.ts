/** The program of the command line itself: its exit code, the umask of what a bot writes, and pipes. */

import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BotStart } from '@standin/wire/process/stand-by.ts'
import { expect, test } from 'vitest'
import { packageRoot } from '../../../packages/core/process/page-scripts.ts'
import { takeJobFile } from '../../../src/cli/job-file.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'
import { PROGRAM_ENVIRONMENT } from '../../servers/program-environment.ts'

const PROGRAM = join(packageRoot, 'src/cli/index.ts')

function standin(...given: string[]): Promise<{ exitCode: number | string | null | undefined; errors: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, ...given], { env: PROGRAM_ENVIRONMENT }, (error, _, errors) =>
      resolve({ exitCode: error ? error.code : 0, errors }),
    )
  })
}

/** Ends with exit code 2 after the folder was made and the log was opened. */
const BROKEN = ['https://meet.google.com/abc-defg-hij', '--browser-state', '/nowhere/state.json'] as const

test('what a bot writes is for its user alone', async () => {
  const out = join(temporaryFolder(), 'out')
  expect((await standin('join', ...BROKEN, '--out', out)).exitCode).toBe(2)
  const [bot] = await readdir(out)
  const modeOf = async (path: string) => (await stat(path)).mode & 0o777
  // As root the bot is another user, whose group may pass.
  expect((await modeOf(out)) & ~0o010).toBe(0o700)
  expect(await modeOf(join(out, bot!))).toBe(0o700)
  expect(await modeOf(join(out, bot!, 'standin.log'))).toBe(0o600)
})

test('a planted link is not followed, and ends the command with exit code 2', async () => {
  const place = temporaryFolder()
  const bot = crypto.randomUUID()
  await mkdir(join(place, bot))
  await writeFile(join(place, 'target'), 'of another program')
  await symlink(join(place, 'target'), join(place, bot, 'standin.log'))
  const { exitCode, errors } = await standin('join', ...BROKEN, '--out', place, '--bot-id', bot)
  expect(exitCode).toBe(2)
  expect(errors).toContain('standin.log is a symbolic link')
  expect(await readFile(join(place, 'target'), 'utf8')).toBe('of another program')
})

test('a job file that is a pipe is refused at once', async () => {
  const pipe = join(temporaryFolder(), 'pipe')
  execFileSync('mkfifo', ['-m', '600', pipe])
  expect(() => takeJobFile(pipe)).toThrow('is not a regular file')
})

test('a bot that stands by takes the job that its start names, and ends without one when its launcher is gone', async () => {
  const file = join(temporaryFolder(), 'job.json')
  await writeFile(file, '{"meeting_url": 7}', { mode: 0o600 })
  const start: BotStart = { environment: { STANDIN_JOB_FILE: file }, mapHosts: ['meet.google.com=nowhere'] }
  const standingBy = (input: string) => {
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM, 'join', '--stand-by'], {
      ...{ env: PROGRAM_ENVIRONMENT, encoding: 'utf8', input },
    })
    return { status, stderr }
  }
  expect(standingBy('')).toEqual({ status: 0, stderr: '' })
  const { status, stderr } = standingBy(JSON.stringify(start))
  expect(status).toBe(2)
  for (const place of ['meeting_url', 'meet.google.com=nowhere']) expect(stderr).toContain(place)
})
