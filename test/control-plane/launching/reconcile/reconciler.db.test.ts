import { randomUUID } from 'node:crypto'
import type { Recover } from '@standin/control-plane/launching/reconcile/recovery.ts'
import { type Launcher, type LaunchState, NoRoom } from '@standin/control-plane/platform/ports.ts'
import { claimDue } from '@standin/control-plane/store/bots/claims.ts'
import { sql } from 'kysely'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openWorld } from '../../world.ts'
import { createSimulatedLauncher } from '../simulated.ts'
import type { Plan } from '../simulated-bot.ts'
import type { LaunchingSetting } from '../world.ts'

const world = await openWorld({ launching: true })

const ended = (setting: LaunchingSetting, id: string) =>
  expect.poll(async () => (await setting.row(id)).phase).toBe('closed')
const recording = (setting: LaunchingSetting, id: string) =>
  expect.poll(async () => (await setting.row(id)).status).toBe('in_call_recording')

test('a bot whose process crashes before it asked to join is started again', async () => {
  const setting = await world.launchingSetting()
  setting.launching()
  const id = await setting.bot({ dies: 'before_joining', deadAttempts: 1 })
  await ended(setting, id)
  expect(await setting.row(id)).toMatchObject({ status: 'completed', attempt: 2, launch_failures: 1 })
  expect(setting.host.of(id).map(({ bot }) => bot.joinRequests.length)).toEqual([0, 1])
  expect((await setting.steps(id)).map(({ kind }) => kind)).toContain('process_ended')
})

test('a bot that crashes in its meeting is not sent again: its end has the code that the evidence proves', async () => {
  const setting = await world.launchingSetting()
  setting.launching()
  const [killed, starved] = await Promise.all([
    setting.bot({ dies: 'recording' }),
    setting.bot({ dies: 'recording', isOutOfMemory: true }),
  ])
  await ended(setting, killed)
  await ended(setting, starved)
  expect(await setting.row(killed)).toMatchObject({ status: 'failed', error_code: 'FORCE_KILLED', attempt: 1 })
  expect(await setting.row(starved)).toMatchObject({ status: 'failed', error_code: 'OOM_KILLED', attempt: 1 })
  for (const id of [killed, starved]) {
    expect((await setting.messages(id)).filter(({ event }) => event === 'bot.failed')).toHaveLength(1)
    expect((await setting.ledger(id)).map(({ kind }) => kind)).toEqual(['reserve', 'release'])
    const [launch] = await setting.launches(id)
    expect(launch).toMatchObject({ signal: 'SIGKILL', is_out_of_memory: id === starved })
  }
})

test('what a dead bot journaled and recorded is read and delivered before its end is written', async () => {
  const setting = await world.launchingSetting()
  const recovered: unknown[] = []
  setting.launching({
    recover: async (place) => {
      recovered.push(place)
      return { files: [{ name: 'video.mp4', seconds: 12.5 }], problems: [] }
    },
  })
  const id = await setting.bot({ dies: 'before_report', chats: 40, meetingMs: 50 })
  await ended(setting, id)
  const [hosted] = setting.host.of(id)
  const { database } = setting
  const events = await database.selectFrom('bot_events').select('seq').where('bot_id', '=', id).orderBy('seq').execute()
  expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: hosted!.bot.lastSeq }, (_, index) => index + 1))
  expect(recovered).toMatchObject([{ botId: id, workFolder: null }])
  expect(await setting.row(id)).toMatchObject({ error_code: 'FORCE_KILLED', duration_seconds: 12.5 })
  const artifacts = await database
    .selectFrom('artifacts')
    .selectAll()
    .where('bot_id', '=', id)
    .orderBy('name')
    .execute()
  expect(artifacts.map(({ name }) => name)).toEqual(['events.jsonl', 'video.mp4'])
  expect(artifacts[1]!.location).toBe(`${id}/1/${id}/video.mp4`)
  expect(artifacts[1]).toMatchObject({ bytes: 5, duration_seconds: 12.5 })
})

test('the log that a dead bot stored is kept with its launch, before what it printed', async () => {
  const setting = await world.launchingSetting()
  setting.launching()
  const id = await setting.bot({ dies: 'before_report', meetingMs: 300 })
  await recording(setting, id)
  await setting.files.write(`${id}/1/${id}/standin.log`, Buffer.from('A new encoder did not start'), 'text/plain')
  await ended(setting, id)
  expect((await setting.launches(id))[0]!.log_tail).toMatch(/^A new encoder did not start\n/)
})

test('a final report that only the journal holds is the end of the bot', async () => {
  const setting = await world.launchingSetting()
  // Nothing that the bot sends arrives.
  setting.launching({ linkUrl: 'ws://127.0.0.1:9/link', waitForWelcomeSeconds: 0 })
  const id = await setting.bot()
  await expect.poll(() => setting.host.of(id)[0]?.bot.lastSeq).toBeGreaterThan(8)
  await setting.host.of(id)[0]!.bot.kill()
  await ended(setting, id)
  expect(await setting.row(id)).toMatchObject({ status: 'completed', end_code: 'BOT_REMOVED', joined_attempt: 1 })
})

test('a recovery that fails is tried again, and the bot does not end before', async () => {
  const setting = await world.launchingSetting()
  let calls = 0
  setting.launching({
    recover: async () => {
      if (++calls === 1) throw new Error('The bucket cannot be reached')
      return { files: [], problems: [] }
    },
  })
  const id = await setting.bot({ dies: 'recording' })
  await expect.poll(() => calls).toBe(1)
  await expect.poll(async () => (await setting.row(id)).lease_until).not.toBeNull()
  expect(await setting.row(id)).toMatchObject({ phase: 'running', error_code: null })
  await world.set(id, { lease_until: new Date() })
  await ended(setting, id)
  expect(calls).toBe(2)
})

test('what cannot be recovered for a quarter of an hour stays where it is, and the bot ends', async () => {
  const setting = await world.launchingSetting()
  const { database } = setting
  let calls = 0
  setting.launching({
    recover: async () => {
      calls++
      return { files: [{ name: 'video.mp4', seconds: 3 }], problems: ['audio.m4a: the bucket is away'] }
    },
    reconciler: { orphansMs: 50, orphanSeconds: 0 },
  })
  const id = await setting.bot({ dies: 'recording' })
  await expect.poll(async () => (await setting.launches(id))[0]?.ended_at ?? null).not.toBeNull()
  await expect.poll(async () => (await setting.row(id)).lease_until).not.toBeNull()
  await expect.poll(async () => (await setting.row(id)).lease_owner).toBeNull()
  expect((await setting.row(id)).phase).toBe('running')
  const longAgo = new Date(Date.now() - 901_000)
  // A process that ended while the service was away: the time counts from when that was seen.
  await database.updateTable('launches').set({ ended_at: longAgo }).where('bot_id', '=', id).execute()
  await world.set(id, { lease_until: longAgo })
  await expect.poll(() => calls).toBe(2)
  await expect.poll(async () => (await setting.row(id)).lease_owner).toBeNull()
  expect((await setting.row(id)).phase).toBe('running')
  await database.updateTable('launches').set({ end_seen_at: longAgo }).where('bot_id', '=', id).execute()
  await world.set(id, { lease_until: longAgo })
  await ended(setting, id)
  await expect.poll(async () => (await setting.launches(id))[0]!.evidence).toEqual({ is_kept: true })
  expect(await setting.row(id)).toMatchObject({ error_code: 'FORCE_KILLED', duration_seconds: 3 })
  const launcher = createSimulatedLauncher(setting.host.url)
  const orphan = await setting.bot({ meetingMs: 10 })
  await ended(setting, orphan)
  await expect.poll(async () => (await launcher.list()).map(({ botId }) => botId)).toEqual([id])
})

test('a bot that was asked to leave ends by its own report', async () => {
  const setting = await world.launchingSetting()
  setting.launching()
  const id = await setting.bot({ meetingMs: 60_000 })
  await recording(setting, id)
  await setting.askToLeave(id)
  await ended(setting, id)
  expect(await setting.row(id)).toMatchObject({ status: 'completed', end_code: 'API_REQUEST' })
})

test('a bot that does not leave is stopped by its launcher at the deadline, and killed after the grace period', async () => {
  const setting = await world.launchingSetting()
  setting.launching()
  const id = await setting.bot({ meetingMs: 600_000, isDeaf: true })
  await recording(setting, id)
  await setting.askToLeave(id)
  const past = (seconds: number) => new Date(Date.now() - seconds * 1000)
  await world.set(id, { deadline_at: past(1) })
  await expect.poll(async () => (await setting.row(id)).stop_sent_at).not.toBeNull()
  expect(await setting.row(id)).toMatchObject({ phase: 'ending' })
  await world.set(id, { stop_sent_at: past(121) })
  await ended(setting, id)
  expect(await setting.row(id)).toMatchObject({ status: 'failed', error_code: 'FORCE_KILLED' })
  expect((await setting.steps(id)).filter(({ kind }) => kind === 'killed')).toHaveLength(1)
})

test('a bot that cannot reach its link and is past its start deadline is not asked to end: its journal is read', async () => {
  const setting = await world.launchingSetting()
  setting.launching({ linkUrl: 'ws://127.0.0.1:9/link', waitForWelcomeSeconds: 0 })
  const id = await setting.bot({ meetingMs: 600_000 })
  await expect.poll(async () => (await setting.row(id)).phase).toBe('starting')
  await expect.poll(() => setting.host.of(id)[0]?.bot.joinRequests.length).toBe(1)
  await world.set(id, { deadline_at: new Date(Date.now() - 1000) })
  await expect.poll(async () => (await setting.row(id)).status).toBe('in_call_recording')
  expect(await setting.row(id)).toMatchObject({ phase: 'running', stop_sent_at: null, joined_attempt: 1 })
  expect(setting.host.of(id)[0]!.bot.evidence).toBeNull()
})

test('a bot that was started and does not report is asked to end at its start deadline, and another attempt is made', async () => {
  const setting = await world.launchingSetting()
  setting.launching()
  const id = await setting.bot({ isSilent: true, deadAttempts: 1 })
  await expect.poll(async () => (await setting.row(id)).phase).toBe('starting')
  await world.set(id, { deadline_at: new Date(Date.now() - 1000) })
  await ended(setting, id)
  expect(await setting.row(id)).toMatchObject({
    status: 'completed',
    attempt: 2,
    launch_failures: 1,
    stop_sent_at: null,
  })
  expect((await setting.steps(id)).filter(({ kind }) => kind === 'killed')).toHaveLength(1)
})

/** Its first attempts are there before `answer` resolves, or rejects. */
function slowLauncher({ host }: LaunchingSetting, answer: (botId: string) => Promise<void>): Launcher {
  const launcher = createSimulatedLauncher(host.url)
  return {
    ...launcher,
    async start(spec) {
      const handle = await launcher.start(spec)
      if (spec.attempt === 1) await answer(spec.botId)
      return handle
    },
  }
}

/** Says this of first attempts, unless it is null. */
const saying = (launcher: Launcher, state: () => LaunchState | null): Launcher => ({
  ...launcher,
  inspect: async (handle) => (handle.name.endsWith('-1') && state()) || launcher.inspect(handle),
})

test.each([{ state: 'absent' as const }, { state: 'unknown' as const, reason: 'Its machine does not answer' }])(
  'what a bot stored is recovered where its launcher says no more of it than $state',
  async (lost) => {
    const setting = await world.launchingSetting()
    let state: LaunchState | null = null
    setting.launching({
      launcher: saying(createSimulatedLauncher(setting.host.url), () => state),
      recover: async () => ({ files: [{ name: 'video.mp4', seconds: 12.5 }], problems: [] }),
      resumesBots: true,
    })
    const id = await setting.bot({ meetingMs: 600_000 })
    await recording(setting, id)
    state = lost
    await setting.host.of(id)[0]!.bot.kill()
    await world.set(id, { deadline_at: new Date(Date.now() - 601_000) })
    await ended(setting, id)
    expect(await setting.row(id)).toMatchObject({ status: 'failed', attempt: 1, duration_seconds: 12.5 })
    expect(await world.rows('artifacts', { bot_id: id }, ['name'])).toContainEqual({ name: 'video.mp4' })
    await expect.poll(async () => (await setting.launches(id))[0]!.cleaned_at).not.toBeNull()
  },
)

test('a bot that is cancelled while it is started does not run on', async () => {
  const setting = await world.launchingSetting()
  const started = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<void>()
  const slow = slowLauncher(setting, () => {
    started.resolve()
    return answer.promise
  })
  setting.launching({ launcher: slow, linkUrl: 'ws://127.0.0.1:9/link' })
  const id = await setting.bot({ meetingMs: 600_000 })
  await started.promise
  await setting.askToLeave(id)
  expect(await setting.row(id)).toMatchObject({ phase: 'closed', error_code: 'EXITING_MEETING_BEFORE_RECORD' })
  answer.resolve()
  await expect.poll(() => setting.host.of(id)[0]!.bot.evidence).not.toBeNull()
  expect(setting.host.of(id)[0]!.bot.joinRequests).toEqual([])
  await expect.poll(async () => (await setting.launches(id))[0]!.cleaned_at).not.toBeNull()
})

const AGAIN = { status: 'completed', attempt: 2 }
test.each([
  [
    'was found there after its lease',
    'is started again',
    { isSilent: true, deadAttempts: 1 },
    new Error('No answer'),
    AGAIN,
  ],
  ['found no room after its lease', 'is started again', { isSilent: true, deadAttempts: 1 }, new NoRoom('Full'), AGAIN],
  [
    'has reported',
    'ends with its process',
    { meetingMs: 600_000 },
    new Error('No answer'),
    { error_code: 'FORCE_KILLED' },
  ],
])('a bot whose start fails at the launcher although it %s %s', async (_when, _what, plan: Plan, error, end) => {
  const setting = await world.launchingSetting()
  let state: LaunchState | null = null
  const slow = slowLauncher(setting, async (botId) => {
    await expect.poll(async () => (await setting.row(botId)).phase).toBe(plan.isSilent ? 'starting' : 'running')
    if (plan.isSilent) state = { state: 'absent' }
    throw error
  })
  setting.launching({ launcher: saying(slow, () => state), leaseSeconds: 4 })
  const id = await setting.bot(plan)
  await expect.poll(() => setting.logged.some(({ fields }) => fields.error === error.message)).toBe(true)
  if (!plan.isSilent) await setting.host.of(id)[0]!.bot.kill()
  await ended(setting, id)
  expect(await setting.row(id)).toMatchObject(end)
})

test('a bot of a launcher that did not come back is found where it runs, and due again where it does not', async () => {
  const setting = await world.launchingSetting()
  const { database, host } = setting
  const launcher = createSimulatedLauncher(host.url)
  const [found, lost] = [await setting.bot({ meetingMs: 600_000 }), await setting.bot()]
  const claimed = await claimDue(database, { owner: randomUUID(), launcher: 'simulated', limit: 2, leaseSeconds: 0 }, [
    Buffer.from(randomUUID()),
    Buffer.from(randomUUID()),
  ])
  expect(claimed.map(({ id }) => id).sort()).toEqual([found, lost].sort())
  const job = {
    bot_id: found,
    meeting_url: 'https://meet.google.com/abc-defg-hij',
    storage: setting.files.jobStorage(found, 1),
    control_plane: { url: 'ws://127.0.0.1:9/link', token: 'x' },
    wait_for_welcome_seconds: 3600,
    extra: {},
  }
  await launcher.start({ botId: found, attempt: 1, job: job as never })
  setting.launching()
  await expect.poll(async () => (await setting.row(found)).phase).toBe('starting')
  expect(host.of(found)).toHaveLength(1)
  await ended(setting, lost)
  expect(await setting.row(lost)).toMatchObject({ status: 'completed', attempt: 2 })
})

test('a launcher that wakes up after its lease starts nothing', async () => {
  const setting = await world.launchingSetting()
  const { database, host } = setting
  const room = setting.launching({ leaseSeconds: 1 })
  const id = await setting.bot()
  // A lease of a second is shorter than the margin, as if the process had been stopped after its claim.
  await expect.poll(() => setting.logged.some(({ message }) => message.startsWith('Launch abandoned'))).toBe(true)
  expect(host.of(id)).toHaveLength(0)
  await room.close()
  setting.launching()
  await ended(setting, id)
  expect(host.of(id)).toHaveLength(1)
  const row = await database.selectFrom('bots').select('status').where('id', '=', id).executeTakeFirst()
  expect(row?.status).toBe('completed')
})

test('a bot that is not in the database is asked to end after a while', async () => {
  const setting = await world.launchingSetting()
  const { host } = setting
  const orphan = randomUUID()
  const launcher = createSimulatedLauncher(host.url)
  const job = {
    bot_id: orphan,
    meeting_url: 'https://meet.google.com/abc-defg-hij',
    storage: setting.files.jobStorage(orphan, 1),
    control_plane: { url: 'ws://127.0.0.1:9/link', token: 'x' },
    extra: { plan: { meetingMs: 600_000 } },
  }
  await launcher.start({ botId: orphan, attempt: 1, job: job as never })
  const patient = setting.launching()
  await patient.reconcile()
  expect(host.of(orphan)[0]!.bot.evidence).toBeNull()
  setting.launching({ reconciler: { orphansMs: 50, orphanSeconds: 0 } })
  await expect.poll(() => host.of(orphan)[0]!.bot.evidence, { timeout: 50_000 }).not.toBeNull()
  await expect.poll(async () => (await launcher.list()).length).toBe(0)
})

test.each([
  ['is over', (id: string) => world.set(id, { phase: 'closed' })],
  ['runs for too long', (id: string) => world.set(id, { deadline_at: new Date(0) })],
  ['is not known', (id: string) => world.database.deleteFrom('launches').where('bot_id', '=', id).execute()],
])('a bot that %s is asked to end again where its launcher could not do so', async (_, happens) => {
  const setting = await world.launchingSetting()
  const launcher = createSimulatedLauncher(setting.host.url)
  const stop = vi.fn(launcher.stop).mockRejectedValueOnce(new Error('Too many requests'))
  setting.launching({ launcher: { ...launcher, stop }, reconciler: { orphansMs: 50, orphanSeconds: 0 } })
  const id = await setting.bot({ meetingMs: 600_000 })
  await recording(setting, id)
  await happens(id)
  await expect.poll(() => setting.host.of(id)[0]!.bot.evidence).toMatchObject({ exitCode: 0 })
  expect(stop).toHaveBeenCalledTimes(2)
})

test('a bot that is over and does not end is killed, also where its launcher forgot to', async () => {
  const setting = await world.launchingSetting()
  setting.launching()
  const id = await setting.bot({ meetingMs: 600_000, isDeaf: true })
  await recording(setting, id)
  await world.set(id, { phase: 'closed' })
  await expect.poll(() => setting.logged.some(({ message }) => message === 'Bot asked to end')).toBe(true)
  const clock = performance.now.bind(performance)
  vi.spyOn(performance, 'now').mockImplementation(() => clock() + 121_000)
  onTestFinished(() => void vi.restoreAllMocks())
  await expect.poll(() => setting.host.of(id)[0]!.bot.evidence).toMatchObject({ signal: 'SIGKILL' })
})

/** Recoveries that take until they are released or aborted. */
function slowRecovery() {
  const released = Promise.withResolvers<void>()
  const begun: string[] = []
  const recover: Recover = async ({ botId }, signal) => {
    begun.push(botId)
    const aborted = new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason))
    })
    await Promise.race([released.promise, aborted])
    return { files: [], problems: [] }
  }
  return { recover, begun, release: released.resolve }
}

test('while recordings are recovered, other bots are looked after', async () => {
  const setting = await world.launchingSetting()
  const slow = slowRecovery()
  setting.launching({ recover: slow.recover })
  const dead = await Promise.all(Array.from({ length: 9 }, () => setting.bot({ dies: 'recording' })))
  // The ninth waits for its turn.
  await expect.poll(() => slow.begun.length).toBe(8)
  const other = await setting.bot({ dies: 'before_joining', deadAttempts: 1 })
  await ended(setting, other)
  expect(await setting.row(other)).toMatchObject({ status: 'completed', attempt: 2 })
  expect(slow.begun).toHaveLength(8)
  for (const id of dead) expect(await setting.row(id)).toMatchObject({ phase: 'running', error_code: null })
  slow.release()
  for (const id of dead) await ended(setting, id)
  expect(slow.begun.sort()).toEqual(dead.sort())
})

test('a bot whose recovery takes longer than its lease is left to the reconciler that does it', async () => {
  const setting = await world.launchingSetting()
  const slow = slowRecovery()
  const reconciler = { finishLeaseSeconds: 2 }
  for (let n = 0; n < 2; n++) setting.launching({ recover: slow.recover, reconciler })
  const id = await setting.bot({ dies: 'recording' })
  await expect.poll(() => slow.begun.length).toBe(1)
  const first = await setting.row(id)
  const end = first.lease_until!.getTime()
  await expect.poll(async () => (await setting.row(id)).lease_until!.getTime()).toBeGreaterThan(end + 3_000)
  expect((await setting.row(id)).lease_owner).toBe(first.lease_owner)
  expect(slow.begun).toHaveLength(1)
  slow.release()
  await ended(setting, id)
  expect(slow.begun).toHaveLength(1)
})

test('a reconciler that is closed stops its recoveries, and the next one begins them again', async () => {
  const setting = await world.launchingSetting()
  const slow = slowRecovery()
  const room = setting.launching({ recover: slow.recover })
  const id = await setting.bot({ dies: 'recording' })
  await expect.poll(() => slow.begun.length).toBe(1)
  await room.close()
  expect(await setting.row(id)).toMatchObject({ phase: 'running', lease_owner: null })
  setting.launching()
  await ended(setting, id)
  expect(await setting.row(id)).toMatchObject({ error_code: 'FORCE_KILLED' })
})

test('a service whose clock is two hours late starts, hears and stops bots by the clock of the database', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  vi.setSystemTime(Date.now() - 7_200_000)
  const setting = await world.launchingSetting()
  setting.launching()
  const silent = await setting.bot({ isSilent: true })
  await expect.poll(async () => (await setting.row(silent)).phase).toBe('starting')
  const id = await setting.bot({ meetingMs: 600_000 })
  await recording(setting, id)
  const { rows } = await sql<{ id: string; left: number }>`
    select id, extract(epoch from deadline_at - now())::float as left from bots where team_id = ${setting.teamId}`.execute(
    setting.database,
  )
  const left = new Map(rows.map((row) => [row.id, row.left]))
  expect(left.get(silent)).toBeGreaterThan(0)
  expect(left.get(id)).toBeGreaterThan(4 * 3600)
})

test('two reconcilers finish a dead bot once', async () => {
  const setting = await world.launchingSetting()
  let recoveries = 0
  const recover = async () => {
    recoveries++
    return { files: [], problems: [] }
  }
  for (let n = 0; n < 3; n++) setting.launching({ recover })
  const ids = await Promise.all(Array.from({ length: 10 }, () => setting.bot({ dies: 'recording' })))
  for (const id of ids) await ended(setting, id)
  expect(recoveries).toBe(10)
  for (const id of ids) {
    expect((await setting.messages(id)).filter(({ event }) => event === 'bot.failed')).toHaveLength(1)
    expect((await setting.steps(id)).filter(({ kind }) => kind === 'ended')).toHaveLength(1)
  }
})
