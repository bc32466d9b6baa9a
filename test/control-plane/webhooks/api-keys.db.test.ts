/** A webhook carries the key that made its bot or calendar, or none: never another key of the team. */
import { randomUUID } from 'node:crypto'
import { insertMessages } from '@standin/control-plane/store/webhooks/messages.ts'
import { expect, test } from 'vitest'
import { openWorld, seals } from '../world.ts'

const world = await openWorld({ webhooks: true })

const PERMISSIONS = ['sending', 'full'] as const
const STATES = ['live', 'revoked', 'expired', 'without a sealed copy'] as const
const SUBJECTS = {
  'the address of a bot': { kind: 'bot', channel: 'older' },
  'an account of the older generation': { kind: 'account', channel: 'older' },
  'an endpoint of the team': { kind: 'team', channel: 'webhooks' },
  'an endpoint of the team, about a calendar': { kind: 'team', channel: 'webhooks' },
  'an account of the older generation, about a calendar': { kind: 'account', channel: 'older' },
  'a bot without a key': { kind: 'team', channel: 'webhooks' },
  'the callback of a bot': { kind: 'callback', channel: 'callback' },
} as const
type Subject = keyof typeof SUBJECTS

interface Case {
  permission: (typeof PERMISSIONS)[number]
  state: (typeof STATES)[number]
  subject: Subject
  isSwitchedOn: boolean
}
const CASES = PERMISSIONS.flatMap((permission) =>
  STATES.flatMap((state) =>
    (Object.keys(SUBJECTS) as Subject[]).flatMap((subject) =>
      [true, false].map((isSwitchedOn): Case => ({ permission, state, subject, isSwitchedOn })),
    ),
  ),
)
const nameOf = ({ permission, state, subject, isSwitchedOn }: Case) =>
  `${subject}: ${permission} key, ${state}, switch ${isSwitchedOn ? 'on' : 'off'}`

async function addKey(teamId: string, permission: string, state: string, createdAt: Date): Promise<[string, string]> {
  const id = randomUUID()
  const text = `key-${id}`
  const sealed = seals.seal(text, { table: 'api_keys', column: 'sealed', row: id })
  const hourAgo = new Date(Date.now() - 3_600_000)
  await world.insert('api_keys', {
    ...{ id, team_id: teamId, name: state, prefix: state, hash: Buffer.from(id), permission, created_at: createdAt },
    sealed: state === 'without a sealed copy' ? null : sealed,
    revoked_at: state === 'revoked' ? hourAgo : null,
    expires_at: state === 'expired' ? hourAgo : null,
  })
  return [id, text]
}

async function addCalendar(teamId: string, keyId: string): Promise<string> {
  const account = { platform: 'google', raw_calendar_id: 'ada@example.com', account_email: 'ada@example.com' }
  const { id } = await world.database
    .insertInto('calendars')
    .values({ team_id: teamId, api_key_id: keyId, generation: 'v2', name: 'Ada', is_primary: true, ...account })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Stores one message for the case, and resolves with the key that it may carry. */
async function prepare(one: Case, url: string): Promise<string | undefined> {
  const teamId = await world.teamId()
  await world.setTeam(teamId, { api_key_in_webhooks: one.isSwitchedOn })
  // A full key is older, and one is newer, than the key of the bot.
  await addKey(teamId, 'full', 'live', new Date(Date.now() - 86_400_000))
  const [keyId, text] = await addKey(teamId, one.permission, one.state, new Date(Date.now() - 3_600_000))
  await addKey(teamId, 'full', 'live', new Date())
  const { kind, channel } = SUBJECTS[one.subject]
  const isOfCalendar = one.subject.endsWith('about a calendar')
  const hasKey = one.subject !== 'a bot without a key'
  const botId = isOfCalendar ? null : await world.addBot(teamId, { api_key_id: hasKey ? keyId : null })
  const orderingKey = botId ?? (await addCalendar(teamId, keyId))
  const isOfBot = kind === 'bot' || kind === 'callback'
  await world.endpoint({ teamId, kind, url, ...(isOfBot && { botId: botId! }) })
  const message = { id: `msg_${randomUUID()}`, channel, event: 'bot.failed', body: {}, teamId, botId, orderingKey }
  // Those of the public names carry each header under two names.
  const isCompat = one.permission === 'full'
  await world.database.transaction().execute((tx) => insertMessages(tx, [{ ...message, isCompat }]))
  const carriesKey = hasKey && kind !== 'callback'
  return carriesKey && one.isSwitchedOn && one.state === 'live' ? text : undefined
}

test('the key is the own one while it is valid and the switch is on, and absent otherwise', async () => {
  const receiver = await world.receiver()
  const expected: Record<string, string | undefined> = {}
  for (const [number, one] of CASES.entries()) expected[nameOf(one)] = await prepare(one, `${receiver.url}/${number}`)
  world.dispatcher()
  await expect.poll(() => receiver.received.length, { timeout: 30_000 }).toBe(CASES.length)
  const carried = receiver.received.map(({ path, headers }) => [
    nameOf(CASES[Number(path.split('/').at(-1))]!),
    headers['x-service-api-key'],
  ])
  expect(Object.fromEntries(carried)).toEqual(expected)
  for (const { path, headers } of receiver.received) {
    const one = CASES[Number(path.split('/').at(-1))]!
    const ownKey = one.permission === 'full' ? expected[nameOf(one)] : undefined
    expect(headers['x-meeting-baas-api-key'], nameOf(one)).toBe(ownKey)
    // No other header has a key of the team either.
    const keys = Object.values(headers).filter((value) => /^key-/.test(String(value)))
    expect(new Set(keys), nameOf(one)).toEqual(new Set(keys.length > 0 ? [expected[nameOf(one)]] : []))
  }
  expect(Object.values(expected).filter((key) => key !== undefined)).toHaveLength(10)
}, 60_000)
