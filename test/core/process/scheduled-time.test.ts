import { spawn } from 'node:child_process'
import { setTimeout as passes } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { activeMs, scheduledTime } from '../../../core/process/scheduled-time.ts'

function start(script: string): number {
  const child = spawn(process.execPath, ['-e', script], { stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child.pid!
}

/** Of a second or a little more. */
async function activeShare(pid: number): Promise<number> {
  const [before, from] = [await activeMs(pid), performance.now()]
  await passes(1000)
  return ((await activeMs(pid)) - before) / (performance.now() - from)
}

test('a program that works is active on a busy machine too, by all its threads; an idle and a stopped one are not', async () => {
  const worker = start(`new (require('node:worker_threads').Worker)('for (;;);', { eval: true })`)
  const idle = start('setInterval(() => {}, 60_000)')
  const stopped = start('for (;;);')
  await expect.poll(() => activeShare(worker), { timeout: 60_000 }).toBeGreaterThan(0.8)
  await expect.poll(() => activeShare(idle), { timeout: 60_000 }).toBeLessThan(0.1)
  process.kill(stopped, 'SIGSTOP')
  await expect.poll(() => activeShare(stopped), { timeout: 60_000 }).toBeLessThan(0.05)
}, 200_000)

test('of a process that is gone nothing is known', async () => {
  expect(await scheduledTime('/proc/0')).toBeNull()
  expect(await activeMs(0)).toBe(0)
})
