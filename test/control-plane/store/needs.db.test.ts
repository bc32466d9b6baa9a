/** The use of bots, as their launches say. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { insertBot } from '../../../control-plane/store/bots/bots.ts'
import { fitsElsewhere, removeCapacity, writeCapacity } from '../../../control-plane/store/capacity.ts'
import { launchEnded } from '../../../control-plane/store/launches/launches.ts'
import { outOfMemoryAt, readNeedSamples, readUse } from '../../../control-plane/store/launches/needs.ts'
import { openTestDatabase, type TestDatabase } from '../postgres.ts'

let opened: TestDatabase
let teamId: string
beforeAll(async () => {
  opened = await openTestDatabase()
  const team = await opened.database.insertInto('teams').values({ name: 'T' }).returning('id').executeTakeFirstOrThrow()
  teamId = team.id
})
afterEach(async () => {
  await opened.database.deleteFrom('launches').execute()
  await opened.database.deleteFrom('bots').execute()
})
afterAll(() => opened.close())

const ENDED = { exitCode: 1, signal: null, isOutOfMemory: false, reason: null, endedAt: null, logTail: null }

async function bot(mode = 'speaker_view', platform = 'meet'): Promise<string> {
  const row = await insertBot(opened.database, {
    ...{ id: randomUUID(), team_id: teamId, generation: 'v2', phase: 'running', status: 'in_call_recording' },
    ...{ bot_name: 'Bot', meeting_url: 'https://meet.google.com/abc-defg-hij', meeting_key: 'meet:abc-defg-hij' },
    ...{ meeting_platform: platform, recording_mode: mode, request: {} },
  })
  return row.id
}

/** An attempt that began two minutes ago; `heardSeconds`: how long it had run at its last heartbeat. */
async function attempt(botId: string, values: { attempt?: number; cores?: number; heardSeconds?: number } = {}) {
  const { attempt: number = 1, cores = 0.5, heardSeconds = 100 } = values
  await sql`
    insert into launches (bot_id, attempt, launcher, token_hash, created_at, heartbeat_at, cpu_percent, memory_bytes)
    values (${botId}, ${number}, 'docker', ${Buffer.from(randomUUID())}, now() - interval '2 minutes',
      now() - interval '2 minutes' + make_interval(secs => ${heardSeconds}), ${cores * 100}, 1000)`.execute(
    opened.database,
  )
}

test('of each bot its last attempt counts, once it has run for a minute', async () => {
  const { database } = opened
  expect(await readNeedSamples(database)).toEqual([])
  const [one, young] = [await bot('audio_only', 'zoom'), await bot()]
  await attempt(one, { cores: 0.9 })
  await attempt(one, { attempt: 2, cores: 0.2 })
  await attempt(young, { heardSeconds: 30 })
  expect(await readNeedSamples(database)).toEqual([
    { team: teamId, mode: 'audio_only', platform: 'zoom', cores: 0.2, memoryBytes: 1000, outOfMemoryAt: null },
  ])
})

test('memory is the most that any process of the attempt had, not what it had at its last heartbeat', async () => {
  const { database } = opened
  const id = await bot()
  await attempt(id)
  const usage = (journal_id: string, number: number, peak_memory_bytes: number | null) => ({
    ...{ bot_id: id, attempt: number, journal_id, is_final: true, core_ms: '1', peak_memory_bytes },
    ...{ bytes_received: '0', bytes_sent: '0', bytes_stored: '0', life_ms: '1', phase_ms: '{}' },
  })
  const rows = [usage(randomUUID(), 1, 5000), usage(randomUUID(), 1, 3000), usage(randomUUID(), 1, null)]
  await sql`insert into attempt_usage select * from json_populate_recordset(null::attempt_usage,
    ${JSON.stringify([...rows, usage(randomUUID(), 2, 9000)])}::json)`.execute(database)
  expect((await readNeedSamples(database)).map(({ memoryBytes }) => memoryBytes)).toEqual([5000])
  // It held less than at its last heartbeat, as it may before the first report.
  await sql`update launches set memory_bytes = 7000`.execute(database)
  expect((await readNeedSamples(database)).map(({ memoryBytes }) => memoryBytes)).toEqual([7000])
  await launchEnded(database, id, 1, { ...ENDED, isOutOfMemory: true })
  expect(await outOfMemoryAt(database, id)).toBe(7000)
})

test('an end for lack of memory counts however short the attempt was, with its limit', async () => {
  const { database } = opened
  const [limited, free] = [await bot(), await bot()]
  await attempt(limited, { heardSeconds: 1 })
  await attempt(free, { heardSeconds: 1 })
  await launchEnded(database, limited, 1, { ...ENDED, isOutOfMemory: true, memoryLimitBytes: 2000 })
  await launchEnded(database, free, 1, { ...ENDED, isOutOfMemory: true })
  expect((await readNeedSamples(database)).map((sample) => sample.outOfMemoryAt).sort()).toEqual([1000, 2000])
  expect(await outOfMemoryAt(database, limited)).toBe(2000)
  expect(await outOfMemoryAt(database, free)).toBe(1000)
  // Its next attempt ends in another way.
  await attempt(limited, { attempt: 2 })
  await launchEnded(database, limited, 2, ENDED)
  expect(await outOfMemoryAt(database, limited)).toBeNull()
  expect(await outOfMemoryAt(database, randomUUID())).toBeNull()
})

test('one team with many bots leaves room for the others', async () => {
  const { database } = opened
  const many = await Promise.all(Array.from({ length: 60 }, () => bot()))
  for (const id of many) await attempt(id)
  expect(await readNeedSamples(database)).toHaveLength(50)
})

test('what open attempts of a launcher report is known by their names', async () => {
  const { database } = opened
  const [running, over] = [await bot(), await bot()]
  await attempt(running)
  await attempt(over)
  await launchEnded(database, over, 1, ENDED)
  expect(await readUse(database, 'docker')).toEqual([{ botId: running, attempt: 1, cores: 0.5, memoryBytes: 1000 }])
  expect(await readUse(database, 'process')).toEqual([])
})

test('a bot fits elsewhere if the machine of a launcher that reports is large enough', async () => {
  const { database } = opened
  const need = { cores: 2, memoryBytes: 2000 }
  const report = (id: string, most?: { cores: number; memory_bytes: number }) =>
    writeCapacity(database, id, {
      ...{ launcher: 'process', version: '1', image: null, speech: {} as never },
      ...(most && { most }),
    })
  await report('old')
  await report('small', { cores: 1, memory_bytes: 9000 })
  expect(await fitsElsewhere(database, need)).toBe(false)
  await report('large', { cores: 2, memory_bytes: 2000 })
  expect(await fitsElsewhere(database, need)).toBe(true)
  await removeCapacity(database, 'large')
  expect(await fitsElsewhere(database, need)).toBe(false)
})
