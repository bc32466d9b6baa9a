/** The audit log: entries go with their change, and stay. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { type Actor, actAs, listAuditLog, logChange } from '../../../control-plane/store/audit-log.ts'
import { createKey } from '../../../control-plane/store/teams/keys.ts'
import { createTeam } from '../../../control-plane/store/teams/teams.ts'
import { openTestDatabase } from '../postgres.ts'

const world = await openTestDatabase()
const team = await createTeam(world.database, 'A team')

const newKey = { name: 'CI', permission: 'full', seal: null } as const
const ann = (): Actor => ({ kind: 'person', id: randomUUID(), address: '192.0.2.7', teamId: null, entries: 0 })
const entriesOf = async (teamId: string) =>
  (await listAuditLog(world.database, teamId, {}, { limit: 50, from: null })).rows

test('an entry names the actor of the work, also at once with other work', async () => {
  const [one, other] = [await createTeam(world.database, 'One'), await createTeam(world.database, 'Other')]
  const actors = [ann(), ann()]
  await Promise.all(
    [one, other].map((teamId, place) =>
      actAs(actors[place]!, async () => {
        await sql`select pg_sleep(0.05)`.execute(world.database)
        return createKey(world.database, { ...newKey, teamId })
      }),
    ),
  )
  for (const [place, teamId] of [one, other].entries()) {
    const [created, made, ...rest] = await entriesOf(teamId)
    expect(rest).toEqual([])
    expect(created).toMatchObject({
      action: 'key.create',
      actor_kind: 'person',
      actor_id: actors[place]!.id,
      address: '192.0.2.7',
      details: { name: 'CI', permission: 'full' },
    })
    expect(made).toMatchObject({ action: 'team.create', actor_kind: 'system', actor_id: null, address: null })
  }
})

test('a change that is rolled back leaves no entry', async () => {
  const before = await entriesOf(team)
  const failed = world.database.transaction().execute(async (tx) => {
    await createKey(tx, { ...newKey, teamId: team })
    throw new Error('too late')
  })
  await expect(failed).rejects.toThrow('too late')
  expect(await entriesOf(team)).toEqual(before)
})

test('a change whose entry cannot be stored is not made', async () => {
  const count = () => world.database.selectFrom('api_keys').select('id').where('team_id', '=', team).execute()
  const before = await count()
  const nobody = { ...ann(), id: 'no uuid' }
  await expect(actAs(nobody, () => createKey(world.database, { ...newKey, teamId: team }))).rejects.toThrow('uuid')
  expect(await count()).toEqual(before)
})

test('entries cannot be changed, nor removed within 30 days', async () => {
  const { database } = world
  const add = (days: number) =>
    sql<{ id: string }>`insert into audit_log (team_id, at, actor_kind, action)
      values (${team}, now() - make_interval(days => ${days}), 'system', 'team.change') returning id`.execute(database)
  const fresh = (await add(29)).rows[0]!.id
  const old = (await add(31)).rows[0]!.id
  const refusal = 'The audit log cannot be changed'
  for (const id of [fresh, old])
    await expect(sql`update audit_log set address = 'x' where id = ${id}`.execute(database)).rejects.toThrow(refusal)
  await expect(sql`delete from audit_log where id = ${fresh}`.execute(database)).rejects.toThrow(refusal)
  await expect(sql`truncate audit_log`.execute(database)).rejects.toThrow(refusal)
  await sql`delete from audit_log where id = ${old}`.execute(database)
  expect((await entriesOf(team)).map(({ id }) => id)).not.toContain(old)
  expect((await entriesOf(team)).map(({ id }) => id)).toContain(fresh)
})

test('filters and pages: every entry once, newest first, of this team only', async () => {
  const teamId = await createTeam(world.database, 'Pages')
  const actor = ann()
  for (let count = 0; count < 5; count++)
    await actAs(actor, () =>
      world.database
        .transaction()
        .execute((tx) => logChange(tx, { teamId, action: 'bot.stop', target: `bot ${count}` })),
    )
  const targets: (string | null)[] = []
  let from: Parameters<typeof listAuditLog>[3]['from'] = null
  do {
    const page = await listAuditLog(world.database, teamId, { actions: ['bot.stop'] }, { limit: 2, from })
    targets.push(...page.rows.map(({ target }) => target))
    from = page.next && { place: page.next, direction: 'after' }
  } while (from !== null)
  expect(targets).toEqual(['bot 4', 'bot 3', 'bot 2', 'bot 1', 'bot 0'])
  const found = async (filter: Parameters<typeof listAuditLog>[2], ofTeam = teamId) =>
    (await listAuditLog(world.database, ofTeam, filter, { limit: 50, from: null })).rows.length
  expect(await found({ actorId: actor.id! })).toBe(5)
  expect(await found({ actorId: actor.id! }, team)).toBe(0)
  expect(await found({ actorKinds: ['system'] })).toBe(1)
  expect(await found({ target: 'bot 3' })).toBe(1)
  expect(await found({ before: new Date(0) })).toBe(0)
  expect(await found({ after: new Date(0) })).toBe(6)
})
