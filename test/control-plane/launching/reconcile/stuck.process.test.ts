/** Bots that were asked to leave and do nothing: stopped after two minutes without progress, at every phase. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { changeBot } from '@standin/control-plane/actions/change-bot.ts'
import { stopAsked } from '@standin/control-plane/bots/stop.ts'
import { createProcessLauncher } from '@standin/control-plane/launching/launchers/process/launcher.ts'
import type { BotPatch } from '@standin/control-plane/rows/index.ts'
import { addCommand } from '@standin/control-plane/store/bots/commands.ts'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../../src/control-link/support.ts'
import { needsOf } from '../known-needs.ts'
import { createSimulatedLauncher } from '../simulated.ts'
import { type LaunchingWorld, openLaunchingWorld, quiet } from '../world.ts'

const LONG = { timeout: 30_000, interval: 20 }
/** Past the two minutes. */
const QUIET = 130

let world: LaunchingWorld
beforeAll(async () => {
  world = await openLaunchingWorld()
})
afterAll(() => world.close())

type Setting = Awaited<ReturnType<LaunchingWorld['setting']>>

/** Passes of the reconciler until now. */
let passes = 0
const onPass = () => void passes++

/** A bot that hears no request, and a service whose clock is moved by hand. */
async function deafBot() {
  const setting = await world.setting()
  const clock = { seconds: 0 }
  setting.launching({ onPass, reconciler: { now: () => clock.seconds * 1000 } })
  const id = await setting.bot({ meetingMs: 600_000, isDeaf: true })
  await expect.poll(async () => (await setting.row(id)).status, LONG).toBe('in_call_recording')
  return { setting, id, clock }
}

async function askToLeave({ database }: Setting, botId: string): Promise<void> {
  await changeBot(database, botId, (bot) => {
    const change = stopAsked(bot, new Date())
    return 'refused' in change ? null : change
  })
  const command = await addCommand(database, botId, { type: 'leave' }, 3600)
  const sentAt = () =>
    database.selectFrom('bot_commands').select('sent_at').where('id', '=', command).executeTakeFirst()
  await expect.poll(async () => (await sentAt())?.sent_at ?? null, LONG).not.toBeNull()
}

/** Moves what is stored about the bot into the past, as if time had gone by. Its deadline is far away. */
async function pass({ database }: Setting, id: string, seconds: number): Promise<void> {
  const ago = sql<Date>`now() - make_interval(secs => ${seconds})`
  const later = sql<Date>`now() + interval '1 hour'`
  await database.updateTable('bots').set({ stop_requested_at: ago, deadline_at: later }).where('id', '=', id).execute()
  await database.updateTable('bot_commands').set({ sent_at: ago }).where('bot_id', '=', id).execute()
  await database.updateTable('bot_events').set({ stored_at: ago }).where('bot_id', '=', id).execute()
}

const setBot = ({ database }: Setting, id: string, patch: BotPatch) =>
  database.updateTable('bots').set(patch).where('id', '=', id).execute()
const stopped = (setting: Setting, id: string) =>
  expect.poll(async () => (await setting.row(id)).stop_sent_at, LONG).not.toBeNull()
/** No stop, after several passes of the reconciler: at least one that began now looked at every attempt. */
async function notStopped(setting: Setting, id: string): Promise<void> {
  const from = passes
  await expect.poll(() => passes - from, LONG).toBeGreaterThan(5)
  expect((await setting.row(id)).stop_sent_at).toBeNull()
}

test.each([
  ['while it joins', { status: 'joining_call', recording_started_at: null, joined_at: null }],
  ['in the waiting room', { status: 'in_waiting_room', recording_started_at: null, joined_at: null }],
  ['before it records', { status: 'in_call_not_recording', recording_started_at: null }],
  ['while it records', { status: 'in_call_recording' }],
  ['in a pause', { status: 'recording_paused' }],
  ['while it makes a transcript, if its link is lost', { phase: 'processing', link_lost_at: new Date(0) }],
] as [string, BotPatch][])('a bot without progress is stopped %s', async (_, patch) => {
  const { setting, id, clock } = await deafBot()
  await askToLeave(setting, id)
  // A bot that is connected is not lost.
  if (patch.link_lost_at) await setting.links.close()
  await setBot(setting, id, patch)
  await pass(setting, id, QUIET)
  await notStopped(setting, id)
  clock.seconds = QUIET
  await stopped(setting, id)
  const killed = (await setting.steps(id)).filter(({ kind }) => kind === 'killed')
  expect(killed).toEqual([
    { kind: 'killed', reason: 'The bot was asked to leave and has made no progress for two minutes.' },
  ])
  await setBot(setting, id, { stop_sent_at: new Date(Date.now() - 121_000) })
  await expect.poll(async () => (await setting.row(id)).phase, LONG).toBe('closed')
})

test('a bot whose upload grows, or that stored a file, is left alone', async () => {
  const { setting, id, clock } = await deafBot()
  await askToLeave(setting, id)
  await pass(setting, id, QUIET)
  await notStopped(setting, id)
  await setting.files.write(`${id}/1/${id}/video.mp4`, new Uint8Array(1_000), 'video/mp4')
  clock.seconds = 100
  await notStopped(setting, id)
  clock.seconds = 200
  await notStopped(setting, id)
  await setting.database
    .updateTable('bot_events')
    .set({ stored_at: new Date(), type: 'artifact' })
    .where('bot_id', '=', id)
    .where('type', '=', 'status_change')
    .execute()
  // A pass that read the old time may be under way.
  await notStopped(setting, id)
  clock.seconds = 400
  await notStopped(setting, id)
  await pass(setting, id, QUIET)
  await stopped(setting, id)
})

test('what happens in the meeting is no progress, and a transcript over a working link may take its time', async () => {
  const { setting, id, clock } = await deafBot()
  await askToLeave(setting, id)
  await setBot(setting, id, { phase: 'processing' })
  await pass(setting, id, QUIET)
  await notStopped(setting, id)
  clock.seconds = QUIET
  await notStopped(setting, id)
  await setting.database
    .updateTable('bot_events')
    .set({ stored_at: new Date(), type: 'chat_message' })
    .where('bot_id', '=', id)
    .execute()
  await setBot(setting, id, { phase: 'ending' })
  await notStopped(setting, id)
  clock.seconds = 2 * QUIET
  await stopped(setting, id)
})

test('a bot that was not asked to leave may be quiet for as long as its deadline allows', async () => {
  const { setting, id, clock } = await deafBot()
  await setting.database
    .updateTable('bot_events')
    .set({ stored_at: new Date(Date.now() - 600_000) })
    .where('bot_id', '=', id)
    .execute()
  clock.seconds = 600
  await notStopped(setting, id)
})

test('a request that never reached its bot, with a link that did not visibly break, is left to the deadline', async () => {
  const { setting, id, clock } = await deafBot()
  await askToLeave(setting, id)
  await pass(setting, id, QUIET)
  await setting.database
    .updateTable('bot_commands')
    .set({ sent_at: null, answered_at: new Date() })
    .where('bot_id', '=', id)
    .execute()
  clock.seconds = QUIET
  await notStopped(setting, id)
})

test('a store that does not answer stops no bot', async () => {
  const setting = await world.setting()
  const clock = { seconds: 0 }
  const files = { ...setting.files, bytesOf: () => Promise.reject(new Error('away')) }
  setting.launching({
    files,
    launcher: createSimulatedLauncher(setting.host.url),
    onPass,
    reconciler: { now: () => clock.seconds * 1000 },
  })
  const id = await setting.bot({ meetingMs: 600_000, isDeaf: true })
  await expect.poll(async () => (await setting.row(id)).status, LONG).toBe('in_call_recording')
  await askToLeave(setting, id)
  await pass(setting, id, QUIET)
  clock.seconds = QUIET
  await notStopped(setting, id)
  expect(setting.logged.map(({ message }) => message)).toContain('The size of an upload is unknown')
})

test('a real process that is frozen while it records is killed, and its bot ends', async () => {
  const setting = await world.setting()
  const clock = { seconds: 0 }
  const folder = await temporaryFolder()
  const program = join(import.meta.dirname, '../bot-process.ts')
  const launcher = await createProcessLauncher({
    folder,
    command: [process.execPath, program],
    mapHosts: [],
    environment: { PATH: process.env.PATH },
    maxBots: 10,
    needs: needsOf(),
    coresTarget: 1,
    log: quiet,
  })
  setting.launching({ launcher, onPass, reconciler: { now: () => clock.seconds * 1000 } })
  const id = await setting.bot({ meetingMs: 600_000 })
  await expect.poll(async () => (await setting.row(id)).status, LONG).toBe('in_call_recording')
  const pid = Number((await readFile(join(folder, `standin-${id}-1`, 'bot'), 'utf8')).split(' ')[0])
  onTestFinished(() => {
    if (isThere(pid)) process.kill(pid, 'SIGKILL')
  })
  process.kill(pid, 'SIGSTOP')
  await askToLeave(setting, id)
  await pass(setting, id, QUIET)
  await notStopped(setting, id)
  clock.seconds = QUIET
  await stopped(setting, id)
  expect(isThere(pid)).toBe(true)
  await setBot(setting, id, { stop_sent_at: new Date(Date.now() - 121_000) })
  await expect.poll(async () => (await setting.row(id)).phase, LONG).toBe('closed')
  expect(await setting.row(id)).toMatchObject({ status: 'failed', error_code: 'FORCE_KILLED' })
  expect(isThere(pid)).toBe(false)
})

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
