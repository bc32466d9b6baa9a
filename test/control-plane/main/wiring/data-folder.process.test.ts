import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { holdDataFolder } from '@standin/control-plane/main/wiring/data-folder.ts'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../fakes/at-end.ts'

test('the lock of a process that was killed is free', async () => {
  const folder = temporaryFolder()
  const module = join(import.meta.dirname, '../../../../control-plane/main/wiring/data-folder.ts')
  const program = `
    const { holdDataFolder } = await import(${JSON.stringify(module)})
    await holdDataFolder(${JSON.stringify(folder)}, 'service')
    console.log('held')
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout!, 'data')
  await expect(holdDataFolder(folder, 'service')).rejects.toThrow(`process ${child.pid}`)
  child.kill('SIGKILL')
  await once(child, 'exit')
  // Held for the rest of this process.
  await expect
    .poll(() =>
      holdDataFolder(folder, 'service').then(
        () => true,
        () => false,
      ),
    )
    .toBe(true)
})
