import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { RowLease } from '../../../control-plane/store/row-lease.ts'
import { openTestDatabase } from '../postgres.ts'

const opened = await openTestDatabase()
await sql`create table leased (
  id uuid primary key, kind text not null, work_owner text, work_until timestamptz)`.execute(opened.database)

const lease = new RowLease('leased', 'work')

async function row(kind = 'good'): Promise<string> {
  const id = randomUUID()
  await sql`insert into leased (id, kind) values (${id}, ${kind})`.execute(opened.database)
  return id
}

const owner = fc.constantFrom('a', 'b', 'c')
const step = fc.oneof(
  fc.record({ do: fc.constantFrom('take', 'keep', 'end', 'end later'), owner }),
  fc.record({ do: fc.constant('expire'), owner }),
)

test('after any sequence of steps a row has one holder at most, and only that one keeps or ends its lease', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const { database } = opened
      const id = await row()
      let holder: string | null = null
      let until: 'none' | 'past' | 'future' = 'none'
      for (const { do: what, owner: who } of steps) {
        const claim = { owner: who, leaseSeconds: 60 }
        if (what === 'take') {
          const isFree: boolean = until !== 'future'
          expect(await lease.acquire(database, id, claim)).toBe(isFree)
          if (isFree) [holder, until] = [who, 'future']
        } else if (what === 'keep') {
          expect(await lease.renew(database, id, claim)).toBe(holder === who)
          if (holder === who) until = 'future'
        } else if (what === 'expire') {
          await sql`update leased set work_until = now() - interval '1 second' where id = ${id} and work_until is not null`.execute(
            database,
          )
          if (until !== 'none') until = 'past'
        } else {
          const isLater = what === 'end later'
          await lease.release(database, id, who, isLater ? 60 : 0)
          if (holder === who) [holder, until] = [null, isLater ? 'future' : 'none']
        }
        const { rows } = await sql<{ holder: string | null; until: string }>`
          select work_owner as holder,
            case when work_until is null then 'none' when work_until < now() then 'past' else 'future' end as until
          from leased where id = ${id}`.execute(database)
        expect(rows).toEqual([{ holder, until }])
      }
    }),
    { numRuns: 40 },
  )
})

test('of several that take a row at the same moment one gets it', async () => {
  const id = await row()
  const owners = Array.from({ length: 8 }, (_, place) => String(place))
  const taken = await Promise.all(
    owners.map((one) => lease.acquire(opened.database, id, { owner: one, leaseSeconds: 60 })),
  )
  expect(taken.filter(Boolean)).toHaveLength(1)
})

test('a row is taken and given back only if the rest is true of it', async () => {
  const { database } = opened
  const id = await row('bad')
  const claim = { owner: 'a', leaseSeconds: 60 }
  expect(await lease.acquire(database, id, claim, sql`kind = 'good'`)).toBe(false)
  expect(await lease.acquire(database, id, claim, sql`kind = 'bad'`)).toBe(true)
  await lease.release(database, id, 'a', 0, sql`kind = 'good'`)
  expect(await lease.renew(database, id, claim)).toBe(true)
  expect(await lease.acquire(database, randomUUID(), claim)).toBe(false)
})
