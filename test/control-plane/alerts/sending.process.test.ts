import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { expireClaims, sealKeys } from '../webhooks/world.ts'
import { openAlertWorld } from './world.ts'

const LONG = { timeout: 60_000 }

test('a dispatcher that is killed while it waits for the receiver: the next one sends the same alert', async () => {
  const world = await openAlertWorld()
  onTestFinished(async () => {
    await world.reset()
    await world.close()
  })
  let isHanging = true
  const receiver = await world.receiver((_request, response) => {
    if (!isHanging) response.end()
  })
  const team = await world.team()
  await world.rule(team, 'bot_crash', { callbackUrl: receiver.url })
  await world.failedBot(team, 'OOM_KILLED')
  await world.evaluate()
  const program = fileURLToPath(new URL('../webhooks/dispatcher-process.ts', import.meta.url))
  const env = { ...process.env, TEST_DATABASE: world.url, TEST_SEAL_KEYS: sealKeys }
  const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await expect.poll(() => receiver.received.length, LONG).toBe(1)
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(await world.states()).toEqual({ sending: 1 })
  isHanging = false
  await expireClaims(world)
  world.dispatcher()
  await expect.poll(() => world.states(), LONG).toEqual({ delivered: 1 })
  expect(receiver.received[1]!.body).toEqual(receiver.received[0]!.body)
})
