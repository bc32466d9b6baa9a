/** A bot that records, for the tests of its life. */
import { World } from '../../fakes/world.ts'

export const ann = { id: 'devices/1', name: 'Ann' }
export const ben = { id: 'devices/2', name: 'Ben' }

/** A bot that is in the meeting, has recorded for some seconds, and sees two people. */
export async function recording(
  setUp?: ConstructorParameters<typeof World>[0],
  job?: Record<string, unknown>,
  seconds = 1,
): Promise<World> {
  const world = new World(setUp, job)
  await world.untilStatus('in_call_recording')
  for (const participant of [ann, ben]) world.joins(participant)
  await world.pass(seconds, 2)
  return world
}
