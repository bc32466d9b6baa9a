import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { openWorld, sealKeys } from '../world.ts'
import { answer } from './receiver.ts'
import { expireClaims } from './world.ts'

const world = await openWorld({ webhooks: true })

const LONG = { timeout: 60_000, interval: 25 }

function startProcess(): ChildProcess {
  const program = fileURLToPath(new URL('dispatcher-process.ts', import.meta.url))
  const env = { ...process.env, TEST_DATABASE: world.url, TEST_SEAL_KEYS: sealKeys }
  const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'ignore', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

test('dispatchers that are killed in the middle of their requests lose nothing, and the order stays', async () => {
  const team = await world.teamId()
  const bots = await Promise.all([1, 2, 3, 4, 5].map(() => world.addBot(team)))
  let isHanging = true
  const accepted: { bot: string; n: number; id: string }[] = []
  const receiver = await world.receiver((request, response, count) => {
    if (isHanging) return
    accepted.push({ bot: request.body.data.bot_id, n: request.body.data.n, id: request.headers['webhook-id']! })
    answer(200)(request, response, count)
  })
  await world.endpoint({ teamId: team, kind: 'team', url: receiver.url })
  for (const bot of bots) await world.send(team, bot, 4)

  for (const asked of [5, 10]) {
    const dispatcher = startProcess()
    await expect.poll(() => receiver.received.length, LONG).toBeGreaterThanOrEqual(asked)
    dispatcher.kill('SIGKILL')
    await once(dispatcher, 'exit')
    expect(await world.states()).toEqual({ sending: 5, waiting: 15 })
    await expireClaims(world)
  }
  isHanging = false
  const last = startProcess()
  await expect.poll(() => world.states(), LONG).toEqual({ delivered: 20 })
  last.kill('SIGKILL')
  await once(last, 'exit')
  for (const bot of bots) expect(accepted.filter((one) => one.bot === bot).map(({ n }) => n)).toEqual([0, 1, 2, 3])
  expect(new Set(accepted.map(({ id }) => id)).size).toBe(20)
  // An interrupted request counts as no attempt.
  const attempts = await world.rows('deliveries', {}, ['attempts'])
  expect(attempts.every((delivery) => delivery.attempts === 1)).toBe(true)
})
