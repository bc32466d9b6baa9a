/** A bot that is asked to leave a page that does not let go. */
import { expect, test } from 'vitest'
import { recording } from './recording-bot.ts'

const hangs = { leave: () => new Promise<never>(() => {}) }

test('a second interrupt does not wait for the page', async () => {
  const world = await recording(hangs)
  world.stop('interrupt')
  await world.clock.advance(100)
  world.stop('interrupt', true)
  await world.clock.advance(100)
  expect(world.calls).toContain('close meeting')
  expect(await world.report()).toMatchObject({ status: 'completed' })
})

test('an order to leave at once closes the page without the steps of leaving', async () => {
  const world = await recording()
  world.stop('interrupt', true)
  expect(await world.report()).toMatchObject({ status: 'completed' })
  expect(world.calls).toContain('close meeting')
  expect(world.calls).not.toContain('leave')
})

test('leaving has a deadline, so that it cannot eat the storing', async () => {
  const world = await recording(hangs)
  world.stop('command')
  expect(await world.report()).toMatchObject({ status: 'completed' })
})
