import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as passes } from 'node:timers/promises'
import { expect, test } from 'vitest'

test('a machine that stalled is noticed', async () => {
  const watching = startWatch(`
    process.stdin.resume()
    await watch.watching
    watch.begin()
    process.stdin.on('data', () => {
      process.stdout.write(String(watch.stoodStill()))
      process.exit()
    })
    process.stdout.write('begun ')`)
  await expect.poll(watching.said).toBe('begun ')
  await watching.standStill()
  await passes(300)
  watching.node.stdin.write('?')
  await once(watching.node, 'close')
  expect(watching.said()).toBe('begun true')
})

test('after a stall, the watch waits until the machine has time again', async () => {
  const watching = startWatch(`
    process.stdin.resume()
    await watch.watching
    process.stdout.write('begun ')
    const beganAt = performance.now()
    await watch.recovered(6000)
    process.stdout.write(String(Math.floor((performance.now() - beganAt) / 1000)))
    process.exit()`)
  await expect.poll(watching.said).toBe('begun ')
  await watching.standStill()
  await once(watching.node, 'close')
  // The six seconds in which it stalled did not count.
  expect(Number(watching.said().replace('begun ', ''))).toBeGreaterThanOrEqual(12)
})

/** A program that watches, and can be stalled. */
function startWatch(code: string) {
  const head = `import { StandstillWatch } from './test/standstill.ts'; const watch = new StandstillWatch();`
  const node = spawn(process.execPath, ['-e', head + code], { stdio: ['pipe', 'pipe', 'inherit'] })
  let said = ''
  node.stdout.on('data', (text) => {
    said += text
  })
  return {
    node,
    said: () => said,
    async standStill() {
      node.kill('SIGSTOP')
      await passes(900)
      node.kill('SIGCONT')
    },
  }
}
