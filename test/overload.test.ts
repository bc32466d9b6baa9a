import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'

const WATCHING = `
  import { OverloadWatch } from './test/overload.ts'
  const watch = new OverloadWatch()
  watch.begin()
  process.stdin.on('data', () => {
    process.stdout.write(String(watch.wasOverloaded()))
    process.exit()
  })
  setTimeout(() => process.stdout.write('begun '), 300)`

test('a machine that stood still is noticed', async () => {
  const node = spawn(process.execPath, ['-e', WATCHING], { stdio: ['pipe', 'pipe', 'inherit'] })
  let said = ''
  node.stdout.on('data', (text) => {
    said += text
  })
  await expect.poll(() => said).toBe('begun ')
  node.kill('SIGSTOP')
  await new Promise((resolve) => setTimeout(resolve, 600))
  node.kill('SIGCONT')
  await new Promise((resolve) => setTimeout(resolve, 300))
  node.stdin.write('?')
  await once(node, 'close')
  expect(said).toBe('begun true')
})
