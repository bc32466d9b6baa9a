/** A bot that was asked to leave and does nothing, and time that is moved by hand. */

import type { LaunchingSettings } from '@standin/control-plane/launching/index.ts'
import type { BotPatch } from '@standin/control-plane/store/rows/index.ts'
import { sql } from 'kysely'
import { expect } from 'vitest'
import type { LaunchingWorld } from '../../world.ts'
import type { LaunchingSetting } from '../world.ts'

export const LONG = { timeout: 30_000, interval: 20 }
/** Past the two minutes. */
export const QUIET = 130

/** Passes of the reconciler until now. */
let passes = 0
export const onPass = () => void passes++

/** A bot that hears no request, and a service whose clock is moved by hand. */
export async function deafBot(
  world: LaunchingWorld,
  values: (setting: LaunchingSetting) => Partial<LaunchingSettings> = () => ({}),
) {
  const setting = await world.launchingSetting()
  const clock = { seconds: 0 }
  setting.launching({ onPass, reconciler: { now: () => clock.seconds * 1000 }, ...values(setting) })
  const id = await setting.bot({ meetingMs: 600_000, isDeaf: true })
  await expect.poll(async () => (await setting.row(id)).status, LONG).toBe('in_call_recording')
  return { setting, id, clock }
}

export async function askToLeave({ database, askToLeave }: LaunchingSetting, botId: string): Promise<void> {
  const command = (await askToLeave(botId))!
  const sentAt = () =>
    database.selectFrom('bot_commands').select('sent_at').where('id', '=', command).executeTakeFirst()
  await expect.poll(async () => (await sentAt())?.sent_at ?? null, LONG).not.toBeNull()
}

/** Moves what is stored about the bot into the past, as if time had gone by. Its deadline is far away. */
export async function pass({ database }: LaunchingSetting, id: string, seconds: number): Promise<void> {
  const ago = sql<Date>`now() - make_interval(secs => ${seconds})`
  const later = sql<Date>`now() + interval '1 hour'`
  await database.updateTable('bots').set({ stop_requested_at: ago, deadline_at: later }).where('id', '=', id).execute()
  await database.updateTable('bot_commands').set({ sent_at: ago }).where('bot_id', '=', id).execute()
  await database.updateTable('bot_events').set({ stored_at: ago }).where('bot_id', '=', id).execute()
}

export const setBot = ({ database }: LaunchingSetting, id: string, patch: BotPatch) =>
  database.updateTable('bots').set(patch).where('id', '=', id).execute()
export const stopped = (setting: LaunchingSetting, id: string) =>
  expect.poll(async () => (await setting.row(id)).stop_sent_at, LONG).not.toBeNull()
/** No stop, after several passes of the reconciler: at least one that began now looked at every attempt. */
export async function notStopped(setting: LaunchingSetting, id: string): Promise<void> {
  const from = passes
  await expect.poll(() => passes - from, LONG).toBeGreaterThan(5)
  expect((await setting.row(id)).stop_sent_at).toBeNull()
}
