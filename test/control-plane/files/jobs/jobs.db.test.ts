/** Jobs run by themselves and when asked, each in one process at a time. */
import { describe, expect, test } from 'vitest'
import { startJobs } from '../../../../control-plane/files/jobs/index.ts'
import { endTurn, keepTurn, takeTurn } from '../../../../control-plane/store/job-turns.ts'
import { openJobWorld } from './job-world.ts'

const world = await openJobWorld()

describe('turns', () => {
  const rules = { everySeconds: 60, leaseSeconds: 60 }

  test('of one job go to one of many processes', async () => {
    const taken = await Promise.all(
      Array.from({ length: 8 }, (_, n) => takeTurn(world.database, 'x', String(n), rules)),
    )
    expect(taken.filter((one) => one).length).toBe(1)
    const owner = String(taken.indexOf(true))
    await endTurn(world.database, 'x', owner)
    expect(await takeTurn(world.database, 'x', 'other', rules)).toBe(false)
    expect(await takeTurn(world.database, 'x', 'other', { ...rules, everySeconds: 0 })).toBe(true)
    expect(await keepTurn(world.database, 'x', owner, 60)).toBe(false)
    expect(await keepTurn(world.database, 'x', 'other', 60)).toBe(true)
  })

  test('of a crashed process pass to another one after the lease', async () => {
    expect(await takeTurn(world.database, 'y', 'dead', { everySeconds: 0, leaseSeconds: 60 })).toBe(true)
    expect(await takeTurn(world.database, 'y', 'next', { everySeconds: 0, leaseSeconds: 60 })).toBe(false)
    await keepTurn(world.database, 'y', 'dead', -1)
    expect(await takeTurn(world.database, 'y', 'next', { everySeconds: 0, leaseSeconds: 60 })).toBe(true)
  })
})

const keep = { deliveries: 30, histories: 180, ledger: 400, auditLog: 400 }

test('one process at a time deletes, also where several are asked, and the receipt counts each file once', async () => {
  const bot = await world.recordedBot()
  await world.requestDeletion(bot)
  let [atOnce, most] = [0, 0]
  const deletePrefix = async (prefix: string) => {
    most = Math.max(most, ++atOnce)
    await new Promise((resolve) => setTimeout(resolve, 50))
    return world.files.deletePrefix(prefix).finally(() => atOnce--)
  }
  const tools = world.deletionTools({ ...world.files, deletePrefix })
  const processes = [1, 2].map(() => startJobs({ ...tools, keep, periodic: [] }))
  await Promise.all(processes.flatMap((jobs) => [jobs.run('deletions'), jobs.run('retention')]))
  await Promise.all(processes.map((jobs) => jobs.close()))
  expect(most).toBe(1)
  expect(await world.receipt(bot)).toMatchObject({ files: 6, verified_at: expect.any(Date) })
})

test('the jobs run by themselves and when asked', async () => {
  const bot = await world.recordedBot()
  await world.requestDeletion(bot)
  const oldKey = { team_id: world.team, body_hash: Buffer.from('x') }
  await world.insert(
    'idempotency_keys',
    { ...oldKey, key: 'old', created_at: new Date(Date.now() - 25 * 3600_000) },
    { ...oldKey, key: 'young' },
  )
  const jobs = startJobs({ ...world.deletionTools(), keep, lookEverySeconds: { deletions: 0.1 } })
  await expect.poll(async () => (await world.receipt(bot)).verified_at, { timeout: 20_000 }).toEqual(expect.any(Date))
  expect(await jobs.run('audit')).toEqual({ differences: [], openReserves: [] })
  await world.change('teams', {}, { retention_days: 3 })
  const old = await world.recordedBot({ ended_at: new Date(Date.now() - 4 * 24 * 3600_000) })
  expect(await jobs.run('retention')).toMatchObject({ requested: 1 })
  await expect.poll(async () => (await world.receipt(old)).verified_at, { timeout: 20_000 }).toEqual(expect.any(Date))
  const keys = () => world.rows('idempotency_keys', {}, ['key'])
  await expect.poll(keys, { timeout: 20_000 }).toEqual([{ key: 'young' }])
  await jobs.close()
})
