/** Bots that are lost in their meeting go back into it. */

import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test, vi } from 'vitest'
import { appendEvents } from '../../../control-plane/bots/actions/append-events.ts'
import type { LaunchingSettings } from '../../../control-plane/launching/index.ts'
import { artifactsOfBot } from '../../../control-plane/store/bots/artifacts.ts'
import { openWorld } from '../world.ts'
import { joinVideos } from './join-videos.ts'
import type { LaunchingSetting } from './world.ts'

const world = await openWorld({ launching: true })

const LONG = { timeout: 30_000, interval: 50 }

/** Recoveries find every recording as long as this. */
const PART_SECONDS = 10
const found: LaunchingSettings['recover'] = async () => ({
  files: [{ name: 'video.mp4', seconds: PART_SECONDS }],
  problems: [],
})
const resuming = (setting: LaunchingSetting, values: Partial<LaunchingSettings> = {}) =>
  setting.launching({ resumesBots: true, recover: found, joinParts: joinVideos, ...values })
const ended = (setting: LaunchingSetting, id: string) =>
  expect.poll(async () => (await setting.row(id)).phase, LONG).toBe('closed')
/** Skips the pauses between the attempts, of five seconds and more. */
const endedWithoutPauses = async (setting: LaunchingSetting, id: string) => {
  const waiting = setting.database
    .updateTable('bots')
    .set({ due_at: new Date(0) })
    .where('id', '=', id)
    .where('phase', '=', 'due')
  await expect
    .poll(async () => {
      await waiting.execute()
      return (await setting.row(id)).phase
    }, LONG)
    .toBe('closed')
}
const statusesOf = async (setting: LaunchingSetting, id: string) =>
  (await setting.messages(id))
    .filter(({ event }) => event === 'bot.status_change')
    .map(({ body }) => (body.data.status as { code: string }).code)
const finalsOf = async (setting: LaunchingSetting, id: string) =>
  (await setting.messages(id)).filter(({ event }) => /^bot\.(completed|failed)$/.test(event))
const contentOf = async ({ files, database }: LaunchingSetting, id: string) => {
  const stored = await artifactsOfBot(database, id)
  const texts = await Promise.all(
    stored
      .filter(({ name }) => name.endsWith('video.mp4'))
      .map(async ({ name, key }) => [name, Buffer.from((await files.read(key, 1e6))!).toString()]),
  )
  return Object.fromEntries(texts) as Record<string, string>
}

test('a bot that is killed while it records goes back into its meeting, and both parts become one recording', async () => {
  const setting = await world.launchingSetting()
  resuming(setting)
  const id = await setting.bot({ dies: 'recording', deadAttempts: 1 })
  await ended(setting, id)

  const row = await setting.row(id)
  expect(row).toMatchObject({ status: 'completed', end_code: 'BOT_REMOVED', attempt: 2, resumes: 1, files_attempt: 0 })
  expect(row.duration_seconds).toBe(2 * PART_SECONDS)
  expect(await contentOf(setting, id)).toEqual({ 'video.mp4': 'video+video' })
  // To its caller it is one bot with one recording.
  expect(await statusesOf(setting, id)).toEqual([
    ...['queued', 'joining_call', 'in_waiting_room', 'in_call_not_recording', 'in_call_recording'],
    ...['call_ended', 'recording_succeeded', 'completed'],
  ])
  expect(await finalsOf(setting, id)).toHaveLength(1)
  const ledger = await setting.ledger(id)
  expect(ledger.map(({ kind }) => kind)).toEqual(['reserve', 'release', 'charge'])
  expect(ledger[2]!.amount).toBe(Math.round((2 * PART_SECONDS * 1_000_000) / 3600))
  expect((await setting.steps(id)).map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['process_ended', 'lost', 'resumed', 'assembling', 'assembled', 'ended']),
  )
  for (const launch of await setting.launches(id)) expect(launch.cleaned_at).not.toBeNull()
})

test.each([7_200_000, -7_200_000])(
  'a lost bot goes back into its meeting although the clock of its launcher is off by %i ms',
  async (step) => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    vi.setSystemTime(Date.now() + step)
    const setting = await world.launchingSetting()
    resuming(setting)
    const id = await setting.bot({ dies: 'recording', deadAttempts: 1 })
    await ended(setting, id)
    expect(await setting.row(id)).toMatchObject({ status: 'completed', resumes: 1 })
    expect(await finalsOf(setting, id)).toHaveLength(1)
  },
)

test('a bot that its machine tells to end, as when a node is drained, goes back into its meeting', async () => {
  const setting = await world.launchingSetting()
  resuming(setting, { recover: async () => ({ files: [], problems: [] }) })
  const id = await setting.bot({ dies: 'terminated', deadAttempts: 1, meetingMs: 2_000 })
  await ended(setting, id)
  const row = await setting.row(id)
  expect(row).toMatchObject({ status: 'completed', end_code: 'BOT_REMOVED', attempt: 2, resumes: 1, files_attempt: 0 })
  // Each attempt reported about one second itself, and nothing had to be recovered.
  expect(row.parts).toMatchObject([
    { attempt: 1, seconds: expect.any(Number), code: 'SIGTERM' },
    { attempt: 2, seconds: expect.any(Number), code: null },
  ])
  expect(await contentOf(setting, id)).toEqual({ 'video.mp4': 'video+video' })
  expect(await statusesOf(setting, id)).not.toContain('failed')
  expect(await finalsOf(setting, id)).toHaveLength(1)
  for (const launch of await setting.launches(id)) expect(launch.cleaned_at).not.toBeNull()
})

test('a bot that its machine tells to end fails where resuming is off', async () => {
  const setting = await world.launchingSetting()
  resuming(setting, { resumesBots: false })
  const id = await setting.bot({ dies: 'terminated', meetingMs: 1_000 })
  await ended(setting, id)
  const row = await setting.row(id)
  expect(row).toMatchObject({ status: 'failed', end_code: 'SIGTERM', error_code: 'SIGTERM', attempt: 1 })
  expect(row.duration_seconds).toBeLessThan(PART_SECONDS)
  expect(await contentOf(setting, id)).toEqual({ 'video.mp4': 'video' })
})

test('a bot that is killed in the waiting room asks again, and has one recording of one part', async () => {
  const setting = await world.launchingSetting()
  resuming(setting)
  const id = await setting.bot({ dies: 'waiting', deadAttempts: 1 })
  await ended(setting, id)
  expect(await setting.row(id)).toMatchObject({ status: 'completed', attempt: 2, resumes: 1, parts: [] })
  expect(setting.host.of(id).map(({ bot }) => bot.joinRequests.length)).toEqual([1, 1])
  expect(await contentOf(setting, id)).toEqual({ 'video.mp4': 'video' })
  expect(await finalsOf(setting, id)).toHaveLength(1)
})

test('a bot that is killed twice goes back twice', async () => {
  const setting = await world.launchingSetting()
  resuming(setting)
  const id = await setting.bot({ dies: 'recording', deadAttempts: 2 })
  await endedWithoutPauses(setting, id)
  expect(await setting.row(id)).toMatchObject({ status: 'completed', attempt: 3, resumes: 2 })
  expect((await setting.row(id)).duration_seconds).toBe(3 * PART_SECONDS)
  expect(await contentOf(setting, id)).toEqual({ 'video.mp4': 'video+video+video' })
})

test('a bot that crashes again and again ends with the code of its crash, and with its whole recording', async () => {
  const setting = await world.launchingSetting()
  resuming(setting)
  const id = await setting.bot({ dies: 'recording', isOutOfMemory: true })
  await endedWithoutPauses(setting, id)
  expect(await setting.row(id)).toMatchObject({ status: 'failed', error_code: 'OOM_KILLED', attempt: 4, resumes: 3 })
  expect(await contentOf(setting, id)).toEqual({ 'video.mp4': 'video+video+video+video' })
  expect(await finalsOf(setting, id)).toHaveLength(1)
  expect((await setting.ledger(id)).map(({ kind }) => kind)).toEqual(['reserve', 'release'])
})

test('a bot that is not let in again completes with what it recorded, and says so', async () => {
  const setting = await world.launchingSetting()
  resuming(setting)
  const id = await setting.bot({ dies: 'recording', deadAttempts: 1, refusedFrom: 2 })
  await ended(setting, id)
  const row = await setting.row(id)
  expect(row).toMatchObject({ status: 'completed', end_code: 'BOT_REMOVED', duration_seconds: PART_SECONDS })
  expect(row.end_message).toContain('did not come back')
  expect(await contentOf(setting, id)).toEqual({ 'video.mp4': 'video' })
})

test('a bot that is asked to leave while it waits for its next attempt completes with what it recorded', async () => {
  const setting = await world.launchingSetting()
  resuming(setting)
  const id = await setting.bot({ dies: 'recording', deadAttempts: 1 })
  await expect.poll(async () => (await setting.row(id)).status, LONG).toBe('in_call_recording')
  setting.host.limit = 0
  await expect.poll(async () => (await setting.row(id)).resumes, LONG).toBe(1)
  expect(await setting.askToLeave(id)).toBeDefined()
  await ended(setting, id)
  expect(await setting.row(id)).toMatchObject({ status: 'completed', end_code: 'API_REQUEST', attempt: 1 })
  expect((await setting.row(id)).duration_seconds).toBe(PART_SECONDS)
  expect(setting.host.of(id)).toHaveLength(1)
})

test('later events of the crashed attempt are kept as history and change nothing', async () => {
  const setting = await world.launchingSetting()
  resuming(setting)
  const id = await setting.bot({ dies: 'recording', deadAttempts: 1, meetingMs: 2_000, chats: 4 })
  await expect.poll(async () => (await setting.row(id)).joined_attempt, LONG).toBe(2)
  const { database } = setting
  const before = await setting.row(id)
  const journal = await database
    .selectFrom('journals')
    .selectAll()
    .where('bot_id', '=', id)
    .where('attempt', '=', 1)
    .executeTakeFirstOrThrow()
  const late = {
    type: 'event' as const,
    seq: journal.last_seq + 1,
    bot_id: id,
    at: new Date().toISOString(),
    event: { type: 'status_change' as const, status: 'failed' as const, end_code: 'INTERNAL_ERROR' as const },
  }
  const [stored] = await appendEvents(database, [
    { botId: id, attempt: 1, journalId: journal.journal_id, events: [late] },
  ])
  expect(stored).toMatchObject({ lastSeq: late.seq, standing: 'stale' })
  expect((await setting.row(id)).end_code).toBe(before.end_code)
  await ended(setting, id)
  expect(await setting.row(id)).toMatchObject({ status: 'completed', end_code: 'BOT_REMOVED' })
})

test('the files of a lost machine are missing, and the other files are delivered', async () => {
  const setting = await world.launchingSetting()
  const asked: { from: number; beganAt: Date | null }[] = []
  resuming(setting, {
    recover: async ({ storage }) => {
      if (storage.type === 'folder' && storage.path.endsWith('/1'))
        await setting.files.deletePrefix(`${storage.path.split('/').at(-2)}/1`)
      return { files: [], problems: [] }
    },
    joinParts: async (parts, signal) => {
      asked.push({ from: parts.from.length, beganAt: parts.beganAt })
      return joinVideos(parts, signal)
    },
  })
  const id = await setting.bot({ dies: 'recording', deadAttempts: 1 })
  await ended(setting, id)
  expect(asked).toEqual([{ from: 1, beganAt: (await setting.row(id)).recording_started_at }])
  expect(await contentOf(setting, id)).toEqual({ 'video.mp4': 'video' })
  expect((await setting.steps(id)).find(({ kind }) => kind === 'assembled')?.reason).toContain('lost with its machine')
})

test('parts that cannot be joined are served side by side', async () => {
  const setting = await world.launchingSetting()
  resuming(setting, { joinParts: async () => Promise.reject(new Error('The disk is full.')) })
  const id = await setting.bot({ dies: 'recording', deadAttempts: 1 })
  await ended(setting, id)
  expect(await contentOf(setting, id)).toEqual({ 'part-1/video.mp4': 'video', 'video.mp4': 'video' })
  expect(await setting.row(id)).toMatchObject({ status: 'completed', duration_seconds: expect.any(Number) })
  expect((await setting.steps(id)).find(({ kind }) => kind === 'assembled')?.reason).toContain('The disk is full.')
})

test('a reconciler that lost its lease while it joined the parts changes no file of the bot', async () => {
  const setting = await world.launchingSetting()
  let tries = 0
  resuming(setting, {
    joinParts: async (parts, signal) => {
      if (++tries > 1) return joinVideos(parts, signal)
      await world.set(parts.botId, { lease_owner: randomUUID(), lease_until: new Date(Date.now() + 2_000) })
      throw new Error('It took too long.')
    },
  })
  const id = await setting.bot({ dies: 'recording', deadAttempts: 1 })
  await ended(setting, id)
  expect(await contentOf(setting, id)).toEqual({ 'video.mp4': 'video+video' })
})

test('a bot whose parts cannot be read is tried again after a pause, and ends with its last part after forty minutes', async () => {
  const setting = await world.launchingSetting()
  const { files } = setting
  const list = files.list.bind(files)
  const away = vi.spyOn(files, 'list').mockImplementation(async (prefix) => {
    if (prefix.endsWith('/2')) throw new Error('The bucket is away.')
    return list(prefix)
  })
  onTestFinished(() => void vi.restoreAllMocks())
  resuming(setting)
  const id = await setting.bot({ dies: 'recording', deadAttempts: 1 })
  const waiting = { phase: 'assembling', lease_owner: null, lease_until: expect.any(Date) }
  await expect.poll(() => setting.row(id), LONG).toMatchObject(waiting)
  // After a downtime the storage may be back later than the database, so this process has to try for a while.
  const tries = away.mock.calls.length
  await world.set(id, { lease_until: null, updated_at: new Date(Date.now() - 2_401_000) })
  await expect.poll(() => away.mock.calls.length, LONG).toBeGreaterThan(tries)
  await expect.poll(() => setting.row(id), LONG).toMatchObject(waiting)
  const clock = performance.now.bind(performance)
  vi.spyOn(performance, 'now').mockImplementation(() => clock() + 601_000)
  await world.set(id, { lease_until: null })
  await ended(setting, id)
  expect(await setting.row(id)).toMatchObject({ status: 'completed', files_attempt: 2 })
  expect(await contentOf(setting, id)).toEqual({ 'video.mp4': 'video' })
  expect((await setting.steps(id)).find(({ kind }) => kind === 'assembled')?.reason).toContain('The bucket is away.')
})

test('where resuming is off, a bot that crashes in its meeting ends', async () => {
  const setting = await world.launchingSetting()
  setting.launching({ recover: found, joinParts: joinVideos })
  const id = await setting.bot({ dies: 'recording' })
  await ended(setting, id)
  expect(await setting.row(id)).toMatchObject({ status: 'failed', error_code: 'FORCE_KILLED', attempt: 1 })
})
