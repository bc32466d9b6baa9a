/** docs/operating.md, "Backup and restore": what happens to bots when an older database is put back while they run. */
import { afterEach, expect, test } from 'vitest'
import { openRestoredService } from './restored-service.ts'

const LONG = { meetingMs: 60_000, chats: 120 }
const within = { timeout: 60_000, interval: 100 }
let service: Awaited<ReturnType<typeof openRestoredService>>

afterEach(() => service.close())

async function statusOf(id: string): Promise<string | undefined> {
  return (await service.read(id))?.status
}

/** How far the bot came in its own count. */
const lastOf = (id: string) => service.host.of(id).at(-1)!.bot.lastSeq
const numbersTo = (last: number) => Array.from({ length: last }, (_, n) => n + 1)

test('a bot that ran at the backup sends again what the restored database lacks, and its messages keep their ids', async () => {
  service = await openRestoredService()
  const id = await service.bot({ meetingMs: 12_000, chats: 24 })
  await expect.poll(() => statusOf(id), within).toBe('in_call_recording')
  const backup = await service.backUp()
  const before = lastOf(id)
  await expect.poll(() => lastOf(id), within).toBeGreaterThan(before + 5)
  await expect.poll(async () => (await service.stored(id)).length, within).toBeGreaterThan(before + 5)
  const reported = await service.messages(id)
  await service.restore(backup)
  expect((await service.stored(id)).length).toBeLessThan(before + 5)
  await expect.poll(() => statusOf(id), within).toBe('completed')
  expect(await service.stored(id)).toEqual(numbersTo(lastOf(id)))
  // Sent again under the same ids, by which receivers recognize them.
  expect(await service.messages(id)).toEqual(expect.arrayContaining(reported))
  expect(service.host.of(id)).toHaveLength(1)
})

test('a bot that ended since the backup is completed from the journal in storage', async () => {
  service = await openRestoredService()
  const id = await service.bot({ meetingMs: 4_000 })
  await expect.poll(() => statusOf(id), within).toBe('in_call_recording')
  const backup = await service.backUp()
  await expect.poll(() => statusOf(id), within).toBe('completed')
  const reported = await service.messages(id)
  const { duration_seconds: seconds } = (await service.read(id))!
  // Its process and what its launcher knew of it are gone.
  await expect
    .poll(
      async () =>
        (await service.database.selectFrom('launches').select('cleaned_at').where('bot_id', '=', id).execute())[0],
      within,
    )
    .toMatchObject({ cleaned_at: expect.any(Date) })
  await service.restore(backup)
  expect(await statusOf(id)).toBe('in_call_recording')
  await expect.poll(() => statusOf(id), within).toBe('completed')
  expect(await service.messages(id)).toEqual(reported)
  expect((await service.read(id))!.duration_seconds).toBe(seconds)
  expect(service.host.of(id)).toHaveLength(1)
})

test('a bot that was made after the backup is unknown, keeps recording, and is asked to leave after a while', async () => {
  service = await openRestoredService()
  const backup = await service.backUp()
  const id = await service.bot(LONG)
  await expect.poll(() => statusOf(id), within).toBe('in_call_recording')
  await service.restore(backup)
  const restoredAt = lastOf(id)
  expect(await service.read(id)).toBeUndefined()
  await expect.poll(() => lastOf(id), within).toBeGreaterThan(restoredAt + 2)
  await expect.poll(() => service.host.of(id)[0]!.bot.evidence?.exitCode, within).toBe(0)
  expect(service.host.of(id)).toHaveLength(1)
})

test('a bot that was started after the backup is not started a second time while it runs', async () => {
  service = await openRestoredService()
  const id = await service.bot(LONG, new Date(Date.now() + 4_000))
  const backup = await service.backUp()
  expect(await statusOf(id)).toBe('queued')
  await expect.poll(() => statusOf(id), within).toBe('in_call_recording')
  await service.restore(backup)
  const restoredAt = lastOf(id)
  await expect.poll(async () => (await service.read(id))!.phase, within).toBe('starting')
  await expect.poll(() => lastOf(id), within).toBeGreaterThan(restoredAt + 2)
  expect(service.host.of(id)).toHaveLength(1)
  expect(service.host.of(id)[0]!.bot.joinRequests).toHaveLength(1)
})
