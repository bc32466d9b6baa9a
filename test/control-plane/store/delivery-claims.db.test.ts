/** How a dispatcher claims deliveries from a long queue, and how it finishes them. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { finishDelivered } from '../../../control-plane/store/webhooks/deliveries.ts'
import {
  type ClaimedDelivery,
  type ClaimRules,
  claimDeliveries,
} from '../../../control-plane/store/webhooks/delivery-claims.ts'
import { deliveredWriter } from '../../../control-plane/webhooks/dispatcher.ts'
import { openWorld } from '../world.ts'

/** More than a claim looks at one by one. */
const MANY = 600

const world = await openWorld({ webhooks: true })
afterEach(() => world.reset())

const rulesOf = (values: Partial<ClaimRules> = {}): ClaimRules => ({
  claim: randomUUID(),
  limit: 64,
  leaseSeconds: 60,
  perEndpoint: 20,
  perTeam: 166,
  busyEndpoints: {},
  busyTeams: {},
  ...values,
})
const claim = (values?: Partial<ClaimRules>) => claimDeliveries(world.database, rulesOf(values))
const endpoint = (teamId: string) => world.endpoint({ teamId, kind: 'team', url: 'http://127.0.0.1:1' })
const countOf = (claimed: ClaimedDelivery[], id: string) => claimed.filter((one) => one.endpoint_id === id).length
const numbers = (claimed: ClaimedDelivery[]) => claimed.map(({ body }) => (body.data as { n: number }).n)
const change = (values: object, endpointId: string) => world.change('deliveries', { endpoint_id: endpointId }, values)
const delivered = (one: ClaimedDelivery, claimId: string, answer = 'ok') => ({
  delivery: one,
  claim: claimId,
  result: { durationMs: 1.4, status: 200, answer },
})

async function botsOf(team: string, count: number): Promise<string[]> {
  return Promise.all(Array.from({ length: count }, () => world.addBot(team)))
}

test('a long line holds up no other line of its endpoint, and one delivery of a line is taken at a time', async () => {
  const team = await world.teamId()
  await endpoint(team)
  const [long, ...others] = await botsOf(team, 6)
  await world.send(team, long!, MANY)
  for (const bot of others) await world.send(team, bot, 3)
  const first = await claim()
  expect(new Set(first.map(({ bot_id }) => bot_id))).toEqual(new Set([long, ...others]))
  expect(numbers(first)).toEqual([0, 0, 0, 0, 0, 0])
  expect(await claim()).toEqual([])
})

test('every delivery of a backlog is taken once and in its order, by several dispatchers', async () => {
  const team = await world.teamId()
  const [one, two] = [await endpoint(team), await endpoint(team)]
  const bots = await botsOf(team, 20)
  for (const bot of bots) await world.send(team, bot, 18)
  const taken = new Map<string, number[]>()
  async function dispatch(): Promise<void> {
    for (let empty = 0; empty < 20; ) {
      const claimId = randomUUID()
      const claimed = await claim({ claim: claimId })
      empty = claimed.length === 0 ? empty + 1 : 0
      for (const each of claimed) {
        const line = `${each.endpoint_id} ${each.bot_id}`
        taken.set(line, [...(taken.get(line) ?? []), ...numbers([each])])
      }
      const ours = await finishDelivered(
        world.database,
        claimed.map((each) => delivered(each, claimId)),
      )
      expect(ours.size).toBe(claimed.length)
    }
  }
  await Promise.all([dispatch(), dispatch()])
  expect(taken.size).toBe(40)
  for (const line of taken.values()) expect(line).toEqual(Array.from({ length: 18 }, (_, n) => n))
  expect(await world.states()).toEqual({ delivered: 720 })
  expect([one, two].length).toBe(2)
})

test.each([
  ['failing', { failed_in_a_row: 9, probe_at: new Date(Date.now() + 600_000) }],
  ['disabled', { disabled_at: new Date() }],
])('what waits longest for a %s endpoint hides nothing', async (_name, state) => {
  const team = await world.teamId()
  const dead = await endpoint(team)
  const bots = await botsOf(team, 3)
  for (const bot of bots) await world.send(team, bot, MANY)
  await change({ next_at: new Date(Date.now() - 3_600_000) }, dead.id)
  await world.change('endpoints', { id: dead.id }, state)
  const well = await endpoint(team)
  // The dead one gets these as well.
  for (const bot of bots) await world.send(team, bot, 2)
  const claimed = await claim()
  expect(countOf(claimed, dead.id)).toBe(0)
  expect(countOf(claimed, well.id)).toBe(3)
})

test('a failing endpoint with a backlog gets one probe', async () => {
  const team = await world.teamId()
  const { id } = await endpoint(team)
  for (const bot of await botsOf(team, 5)) await world.send(team, bot, MANY / 5)
  await world.change('endpoints', { id }, { failed_in_a_row: 5, probe_at: new Date(Date.now() - 1) })
  expect(await claim()).toHaveLength(1)
  expect(await claim()).toHaveLength(0)
})

test('a full endpoint and a full team are left alone, and free lanes are not exceeded', async () => {
  const [team, other] = [await world.teamId(), await world.teamId()]
  const [full, half] = [await endpoint(team), await endpoint(team)]
  const elsewhere = await endpoint(other)
  for (const bot of await botsOf(team, 40)) await world.send(team, bot, 10)
  for (const bot of await botsOf(other, 40)) await world.send(other, bot, 10)
  const first = await claim({ busyEndpoints: { [full.id]: 20, [half.id]: 15 } })
  expect([countOf(first, full.id), countOf(first, half.id), countOf(first, elsewhere.id)]).toEqual([0, 5, 20])
  const second = await claim({ busyTeams: { [team]: 166 }, busyEndpoints: { [elsewhere.id]: 18 } })
  expect(new Set(second.map(({ team_id }) => team_id))).toEqual(new Set([other]))
  expect(second).toHaveLength(2)
})

test('replays and further attempts are taken beside the lines of a backlog', async () => {
  const team = await world.teamId()
  const { id } = await endpoint(team)
  const [bot] = await botsOf(team, 1)
  await world.send(team, bot!, MANY)
  await sql`
    update deliveries set is_replay = id % 2 = 0, attempts = (id % 2)::int where id in (
      select id from deliveries order by id desc limit 4)`.execute(world.database)
  const claimed = await claim()
  expect(numbers(claimed).sort((a, b) => a - b)).toEqual([0, MANY - 4, MANY - 3, MANY - 2, MANY - 1])
  expect(countOf(claimed, id)).toBe(5)
})

test('many that were delivered are stored at once: not what was lost, and no answer of a bot without data', async () => {
  const team = await world.teamId()
  const { id } = await endpoint(team)
  const [one, two, three] = await botsOf(team, 3)
  for (const bot of [one, two, three]) await world.send(team, bot!, 1)
  await world.change('endpoints', {}, { failed_in_a_row: 3, failing_since: new Date() })
  const rules = rulesOf()
  const claimed = await claimDeliveries(world.database, rules)
  const byBot = (bot: string) => claimed.find(({ bot_id }) => bot_id === bot)!
  await world.set(two!, { data_deleted_at: new Date() })
  await world.change('deliveries', { bot_id: three! }, { claim: randomUUID() })
  const ours = await finishDelivered(
    world.database,
    claimed.map((each) => delivered(each, rules.claim, '\u2028\0said')),
  )
  expect(ours).toEqual(new Set([byBot(one!).id, byBot(two!).id]))
  const rows = await world.database.selectFrom('deliveries').selectAll().orderBy('id').execute()
  expect(rows.map(({ state, attempts }) => [state, attempts])).toEqual([
    ['delivered', 1],
    ['delivered', 1],
    ['sending', 0],
  ])
  const attempts = await world.database.selectFrom('delivery_attempts').selectAll().orderBy('delivery_id').execute()
  expect(attempts.map(({ status, answer }) => [status, answer === null ? null : answer.slice(-4)])).toEqual([
    [200, 'said'],
    [200, null],
    [200, 'said'],
  ])
  const stored = await world.rows('endpoints', { id })
  expect(stored).toMatchObject([{ failed_in_a_row: 0, failing_since: null, probe_at: null }])
})

test('one result that cannot be stored takes no other with it', async () => {
  const team = await world.teamId()
  await endpoint(team)
  for (const bot of await botsOf(team, 3)) await world.send(team, bot, 1)
  const rules = rulesOf()
  const claimed = await claimDeliveries(world.database, rules)
  const store = deliveredWriter(world.database)
  const results = await Promise.allSettled(
    claimed.map((each, place) => store(delivered(each, place === 1 ? 'no uuid' : rules.claim))),
  )
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(await world.states()).toEqual({ delivered: 2, sending: 1 })
})
