/** How the doctor runs real programs. */

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { realPrograms } from '../../../src/machine/try-program.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'

const folder = temporaryFolder()

const trial = (script: string, given: { deadlineMs?: number; until?: (output: string) => boolean } = {}) =>
  realPrograms.run({ command: '/bin/sh', args: ['-c', script], env: {}, deadlineMs: 60_000, ...given })

test.each([
  ['echo out; exit 5', { exitCode: 5, signal: null, output: 'out\n', isLate: false, isReached: false }],
  ['echo beside >&2; kill -SEGV $$', { exitCode: null, signal: 'SIGSEGV', output: 'beside\n', isLate: false }],
])('the end of "%s" is reported', async (script, end) => {
  expect(await trial(script)).toMatchObject(end)
})

test('a program that does not exist is not found, and cannot be started', async () => {
  await writeFile(join(folder, 'notes'), 'no program', { mode: 0o600 })
  expect(await realPrograms.find('notes', folder)).toBeNull()
  expect(await realPrograms.find('sh', `${folder}:/bin`)).toBe('/bin/sh')
  const missing = { command: join(folder, 'none'), args: [], env: {}, deadlineMs: 60_000 }
  expect(await realPrograms.run(missing)).toMatchObject({ exitCode: null, output: expect.stringContaining('ENOENT') })
})

test.each([
  ['is late', { deadlineMs: 3_000 }, { isLate: true, isReached: false }],
  ['is ready', { until: (output: string) => output.includes('ready') }, { isLate: false, isReached: true }],
])('a program that runs on and %s is killed with its children', async (_what, given, end) => {
  const ended = await trial("trap '' TERM; /bin/sleep 600 & echo $! ready; wait", given)
  expect(ended).toMatchObject(end)
  await expect.poll(() => isAlive(Number.parseInt(ended.output, 10))).toBe(false)
})

/** An exited process that its parent has not reaped (a bare container has no init) counts as dead too. */
async function isAlive(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return /\) [^ZX]/.test(stat)
}
