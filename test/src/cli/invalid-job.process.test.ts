/** The command as a process: what a job that cannot be run ends with. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { packageRoot } from '../../../core/process/page-scripts.ts'
import { PROGRAM_ENVIRONMENT } from '../../servers/program-environment.ts'

const MEETING = 'https://meet.google.com/abc-defg-hij'

function standin(...given: string[]): Promise<{ exitCode: number | string | null | undefined; errors: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [join(packageRoot, 'src/cli/index.ts'), ...given],
      { env: PROGRAM_ENVIRONMENT },
      (error, _, stderr) => resolve({ exitCode: error ? error.code : 0, errors: stderr }),
    )
  })
}

test('an SDK id without its secret is reported with the code of the specification, with exit code 2', async () => {
  const { exitCode, errors } = await standin('join', 'https://zoom.us/j/88240852079', '--conf-sdk-id', 'id')
  expect(exitCode).toBe(2)
  expect(errors).toContain('conf_sdk_pwd: SET_CONF_ID_AND_PWD_TOGETHER: conf_sdk_id and conf_sdk_pwd go together')
})

test('a job address without its token is reported with the name of the variable, with exit code 2', async () => {
  const { exitCode, errors } = await standin('join', '--job-url', 'https://control.test/jobs/1')
  expect(exitCode).toBe(2)
  expect(errors).toContain('STANDIN_JOB_TOKEN: is missing')
})

test.each([
  [['join', MEETING, '--not-before', 'yesterday'], '--not-before: must be an instant with its offset'],
  [['join', MEETING, '--image', 'none.png'], '--image: there is no file or folder none.png'],
  [['join', MEETING, '--silence-timeout', 'abc'], "option '--silence-timeout <seconds>' argument 'abc' is invalid"],
  [['join', MEETING, '--stream-output', 'http://x'], '--stream-output: must be an address that starts with ws://'],
  [['join', '--job', 'none.json'], '--job: there is no file or folder none.json'],
  [['serve', 'none'], 'standin serve: there is no file or folder none'],
  [['recover'], 'standin recover: name either a folder or a bucket (--s3)'],
  [['doctr'], 'Did you mean doctor?'],
])('a mistake is said with the name of the option: %j', async (args, sentence) => {
  const { exitCode, errors } = await standin(...args)
  expect(exitCode).toBe(2)
  expect(errors).toContain(sentence)
  expect(errors).not.toMatch(/ENOENT|job is not valid/)
})

/** Ends with exit code 2 after the folder was made and the log was opened. */
const BROKEN = ['https://meet.google.com/abc-defg-hij', '--browser-state', '/nowhere/state.json'] as const

async function recordings(): Promise<string> {
  const place = await mkdtemp(join(tmpdir(), 'standin-recordings-'))
  onTestFinished(() => rm(place, { recursive: true, force: true }))
  return place
}

test('what a bot writes is for its user alone', async () => {
  const out = join(await recordings(), 'out')
  expect((await standin('join', ...BROKEN, '--out', out)).exitCode).toBe(2)
  const [bot] = await readdir(out)
  const modeOf = async (path: string) => (await stat(path)).mode & 0o777
  expect(await modeOf(out)).toBe(0o700)
  expect(await modeOf(join(out, bot!))).toBe(0o700)
  expect(await modeOf(join(out, bot!, 'standin.log'))).toBe(0o600)
})

test('a planted link is not followed, and told with exit code 2', async () => {
  const place = await recordings()
  const bot = crypto.randomUUID()
  await mkdir(join(place, bot))
  await writeFile(join(place, 'target'), 'of another program')
  await symlink(join(place, 'target'), join(place, bot, 'standin.log'))
  const { exitCode, errors } = await standin('join', ...BROKEN, '--out', place, '--bot-id', bot)
  expect(exitCode).toBe(2)
  expect(errors).toContain('standin.log is a symbolic link')
  expect(await readFile(join(place, 'target'), 'utf8')).toBe('of another program')
})

test('a job with many unknown fields and escape sequences is refused in few plain lines', async () => {
  const fields = Array.from({ length: 130_000 }, (_, index) => [`\u001b[31m${index}`, 1])
  const file = join(await recordings(), 'job.json')
  await writeFile(file, JSON.stringify(Object.fromEntries(fields)))
  const { exitCode, errors } = await standin('join', '--job', file)
  expect(exitCode).toBe(2)
  expect(errors).not.toContain('\u001b')
  expect(errors.length).toBeLessThan(20_000)
})
