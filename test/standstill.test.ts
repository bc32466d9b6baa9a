import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
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
    process.stdout.write('begun ')
    standStill()`)
  await watching.stoodStill()
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
    const recovered = watch.recovered(6000)
    standStill()
    await recovered
    process.stdout.write(String(Math.floor((performance.now() - beganAt) / 1000)))
    process.exit()`)
  await watching.stoodStill()
  await once(watching.node, 'close')
  // The six seconds in which it stalled did not count.
  expect(Number(watching.said().replace('begun ', ''))).toBeGreaterThanOrEqual(12)
})

/** A program that watches, and stalls when it calls `standStill`: a parent's signal would come late on a busy machine. */
function startWatch(code: string) {
  const head = `import { StandstillWatch } from './test/standstill.ts'
    const watch = new StandstillWatch()
    const standStill = () => process.kill(process.pid, 'SIGSTOP')
    `
  const node = spawn(process.execPath, ['-e', head + code], { stdio: ['pipe', 'pipe', 'inherit'] })
  let said = ''
  node.stdout.on('data', (text) => {
    said += text
  })
  // The state follows the name, which is in brackets (proc_pid_stat(5)).
  const state = () => readFileSync(`/proc/${node.pid}/stat`, 'utf8').split(') ')[1]![0]
  return {
    node,
    said: () => said,
    async stoodStill() {
      await expect.poll(state, { timeout: 60_000 }).toBe('T')
      await passes(900)
      node.kill('SIGCONT')
    },
  }
}
