import { spawn } from 'node:child_process'
import { expect, onTestFinished, test } from 'vitest'
import { activeMs, scheduledTime } from '../../../../packages/core/process/scheduled-time.ts'

function start(script: string): number {
  const child = spawn(process.execPath, ['-e', script], { stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child.pid!
}

test('a program that works is active by all its threads, on a busy machine too; an idle and a stopped one are not', async () => {
  const worker = start(`new (require('node:worker_threads').Worker)('for (;;);', { eval: true })`)
  const idle = start('setInterval(() => {}, 60_000)')
  const stopped = start('for (;;);')
  await expect.poll(() => activeMs(stopped), { timeout: 60_000 }).toBeGreaterThan(500)
  process.kill(stopped, 'SIGSTOP')
  const all = () => Promise.all([worker, idle, stopped].map(activeMs))
  await expect
    .poll(
      async () => {
        const [before, from] = [await all(), performance.now()]
        await expect.poll(async () => (await activeMs(worker)) - before[0]!, { timeout: 60_000 }).toBeGreaterThan(500)
        const passed = performance.now() - from
        const shares = (await all()).map((active, index) => (active - before[index]!) / passed)
        const [ofWorker = 0, ofIdle = 1, ofStopped = 1] = shares
        return ofWorker > 0.8 && ofIdle < 0.1 && ofStopped < 0.05
      },
      { timeout: 60_000 },
    )
    .toBe(true)
}, 200_000)

test('of a process that is gone nothing is known', async () => {
  expect(await scheduledTime('/proc/0')).toBeNull()
  expect(await activeMs(0)).toBe(0)
})
