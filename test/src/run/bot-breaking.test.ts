import { expect, test } from 'vitest'
import { World } from '../../fakes/world.ts'

test('a participant that cannot be written does not affect the other files: the run is reported to its end', async () => {
  const world = new World()
  await world.untilStatus('in_call_recording')
  world.joins({ id: 'a', name: 'Ann' }, Number.NaN)
  const message = { id: 'm', senderId: 'a', senderName: 'Ann', text: 'Hello', at: world.clock.now(), isOwn: false }
  world.emit({ type: 'chat_message', message })
  await world.pass(5, 1)
  world.stop('command')
  const { report, exitCode } = await world.end()
  expect(report).toMatchObject({ status: 'completed', participants: [{ name: 'Ann' }] })
  expect(world.events.filter(({ type }) => type === 'final_report')).toHaveLength(1)
  expect(world.statuses().at(-1)).toBe('completed')
  expect(world.stored).toEqual(expect.arrayContaining(['chat_messages.json', 'manifest.json']))
  // A defect of ours is still told as one.
  expect(exitCode).toBe(70)
})
