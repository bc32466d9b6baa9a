/** A team keeps its recordings for as long as it says. */
import { expect, test } from 'vitest'
import { deleteDue } from '../../../../control-plane/files/jobs/deletion.ts'
import { requestRetentionDeletions } from '../../../../control-plane/files/jobs/retention.ts'
import { quiet } from '../../world.ts'
import { openJobWorld } from './job-world.ts'

const world = await openJobWorld()

test('retention deletes what a team keeps no longer', async () => {
  const ended = (days: number) => ({ ended_at: new Date(Date.now() - days * 24 * 3600_000) })
  const [old, young] = [await world.recordedBot(ended(4)), await world.recordedBot(ended(2))]
  expect(await requestRetentionDeletions(world.database, quiet)).toBe(0)
  await world.change('teams', {}, { retention_days: 3 })
  expect(await requestRetentionDeletions(world.database, quiet)).toBe(1)
  expect(await requestRetentionDeletions(world.database, quiet)).toBe(0)
  await deleteDue(world.deletionTools())
  expect(await world.files.list(old)).toEqual([])
  expect((await world.files.list(young)).length).toBe(6)
  expect(await world.receipt(old)).toMatchObject({ reason: 'retention' })
})
