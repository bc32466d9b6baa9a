import { spawn } from 'node:child_process'
import { expect, onTestFinished, test } from 'vitest'
import { rendererWaits, waitedShare } from '../../../platforms/browser/cpu-waits.ts'

/** A process that looks like a renderer; the busy ones share one processor. */
function start(script: string, options: { isRenderer?: boolean; isPinned?: boolean } = {}): number {
  const { isRenderer = true, isPinned = false } = options
  const command = ['node', '-e', script, '--', ...(isRenderer ? ['--type=renderer'] : [])]
  const [program = '', ...given] = isPinned ? ['taskset', '-c', '0', ...command] : command
  const child = spawn(program, given, { stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child.pid!
}

test('renderers that share a processor have waited, an idle one and a stopped one have not', async () => {
  const busy = [1, 2, 3].map(() => start('for (;;);', { isPinned: true }))
  const idle = start('setInterval(() => {}, 60_000)')
  const stopped = start('for (;;);')
  const other = start('for (;;);', { isRenderer: false })
  const read = () => rendererWaits(process.pid)
  await expect
    .poll(async () => [...(await read()).keys()].sort(), { timeout: 20_000 })
    .toEqual([...busy, idle, stopped].sort())
  expect((await read()).has(other)).toBe(false)
  process.kill(stopped, 'SIGSTOP')
  const shareOf = async (ids: number[]) => {
    const of = async () => new Map([...(await read())].filter(([id]) => ids.includes(id)))
    const [before, from] = [await of(), performance.now()]
    await new Promise((resolve) => setTimeout(resolve, 1000))
    return waitedShare(before, await of(), performance.now() - from)
  }
  await expect.poll(() => shareOf(busy), { timeout: 20_000 }).toBeGreaterThanOrEqual(0.5)
  await expect.poll(() => shareOf([idle]), { timeout: 20_000 }).toBeLessThan(0.2)
  expect(await shareOf([stopped])).toBeLessThan(0.05)
}, 90_000)

test('nothing is known without the kernel, and of processes that are new or gone', async () => {
  expect([...(await rendererWaits(1, '/nonexistent')).keys()]).toEqual([])
  expect(waitedShare(new Map(), new Map([[1, 500]]), 1000)).toBeNull()
  expect(waitedShare(new Map([[1, 500]]), new Map(), 1000)).toBeNull()
  expect(waitedShare(new Map([[1, 500]]), new Map([[1, 1100]]), 1000)).toBeCloseTo(0.6)
})
