/** The command as a process: what a job that cannot be run ends with. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../../../src/page-scripts.ts'

function standin(...given: string[]): Promise<{ exitCode: number | string | null | undefined; errors: string }> {
  return new Promise((resolve) => {
    const environment = { PATH: process.env.PATH ?? '' }
    execFile(
      process.execPath,
      [join(packageRoot, 'src/cli/index.ts'), ...given],
      { env: environment },
      (error, _, stderr) => resolve({ exitCode: error ? error.code : 0, errors: stderr }),
    )
  })
}

test('an SDK id without its secret is told by the code of the specification, with exit code 2', async () => {
  const { exitCode, errors } = await standin('join', 'https://zoom.us/j/88240852079', '--conf-sdk-id', 'id')
  expect(exitCode).toBe(2)
  expect(errors).toContain('conf_sdk_pwd: SET_CONF_ID_AND_PWD_TOGETHER: conf_sdk_id and conf_sdk_pwd go together')
})

test('a job address without its token is told by the name of the variable, with exit code 2', async () => {
  const { exitCode, errors } = await standin('join', '--job-url', 'https://control.test/jobs/1')
  expect(exitCode).toBe(2)
  expect(errors).toContain('STANDIN_JOB_TOKEN: is missing')
})
