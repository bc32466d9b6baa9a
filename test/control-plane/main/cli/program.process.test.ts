/** The program `standin service` itself: its exit code and its pipes. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { PROGRAM_ENVIRONMENT } from '../../../servers/program-environment.ts'

const PROGRAM = join(import.meta.dirname, '../../../../control-plane/main/cli/index.ts')

test('a reader of the output that is gone does not end a command in the middle', async () => {
  // `$0` is Node, and `$1` the program.
  const script = '{ "$0" "$1" --help; echo "ended with $?" >&2; } | true'
  const { stdout, stderr } = await promisify(execFile)('sh', ['-c', script, process.execPath, PROGRAM], {
    env: PROGRAM_ENVIRONMENT,
  })
  expect({ stdout, stderr }).toEqual({ stdout: '', stderr: 'ended with 0\n' })
})
