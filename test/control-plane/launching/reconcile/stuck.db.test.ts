/** Bots that were asked to leave and do nothing: stopped after two minutes without progress, at every phase. */
import type { BotPatch } from '@standin/control-plane/store/rows/index.ts'
import { expect, test } from 'vitest'
import { openWorld } from '../../world.ts'
import { askToLeave, deafBot, LONG, notStopped, pass, QUIET, setBot, stopped } from './stuck.ts'

const world = await openWorld({ launching: true })

test.each([
  ['while it joins', { status: 'joining_call', recording_started_at: null, joined_at: null }],
  ['in the waiting room', { status: 'in_waiting_room', recording_started_at: null, joined_at: null }],
  ['before it records', { status: 'in_call_not_recording', recording_started_at: null }],
  ['while it records', { status: 'in_call_recording' }],
  ['in a pause', { status: 'recording_paused' }],
  ['while it makes a transcript, if its link is lost', { phase: 'processing', link_lost_at: new Date(0) }],
] as [string, BotPatch][])('a bot without progress is stopped %s', async (_, patch) => {
  const { setting, id, clock } = await deafBot(world)
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
  const { setting, id, clock } = await deafBot(world)
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
  const { setting, id, clock } = await deafBot(world)
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
  const { setting, id, clock } = await deafBot(world)
  await setting.database
    .updateTable('bot_events')
    .set({ stored_at: new Date(Date.now() - 600_000) })
    .where('bot_id', '=', id)
    .execute()
  clock.seconds = 600
  await notStopped(setting, id)
})

test('a request that never reached its bot, with a link that did not visibly break, is left to the deadline', async () => {
  const { setting, id, clock } = await deafBot(world)
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
  const bytesOf = () => Promise.reject(new Error('away'))
  const { setting, id, clock } = await deafBot(world, ({ files }) => ({ files: { ...files, bytesOf } }))
  await askToLeave(setting, id)
  await pass(setting, id, QUIET)
  clock.seconds = QUIET
  await notStopped(setting, id)
  expect(setting.logged.map(({ message }) => message)).toContain('The size of an upload is unknown')
})
