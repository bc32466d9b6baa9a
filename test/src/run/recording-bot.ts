/** A bot that records, for the tests of its life. */
import { World } from '../../fakes/world.ts'

export const ann = { id: 'devices/1', name: 'Ann' }
export const ben = { id: 'devices/2', name: 'Ben' }

/** A bot that is in the meeting, records, and sees two people. */
export async function recording(setUp?: (world: World) => void, job?: Record<string, unknown>): Promise<World> {
  const world = new World(setUp, job)
  await world.untilStatus('in_call_recording')
  const at = world.clock.now()
  world.emit({ type: 'participant_joined', participant: ann, at })
  world.emit({ type: 'participant_joined', participant: ben, at })
  await world.pass(1, 2)
  return world
}
