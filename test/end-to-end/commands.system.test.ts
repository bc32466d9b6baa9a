import { readFileSync, statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../fakes/at-end.ts'
import { probe } from '../media/media-info.ts'
import { heardShare, soundOf } from '../media/meeting-recording.ts'
import { clientOf, eventsOf, seqs, startExample, TOKEN } from '../src/control-link/support.ts'
import type { BotProcess } from './bot-process.ts'
import { endToEnd } from './capture-environment.ts'
import { LOOK, passes, speak, truthOf, WITHOUT_CAMERAS } from './meeting-script.ts'

const { openMeeting, startBot } = endToEnd()

test('a control plane pauses, resumes, chats, takes a screenshot and ends; no file contains the pause or the token', async () => {
  const meeting = openMeeting('open', WITHOUT_CAMERAS)
  const plane = await startExample()
  const bot = startBot(meeting, { job: { control_plane: { url: plane.url, token: TOKEN } } })
  const { command, events } = clientOf(plane.api, bot.botId)
  await bot.whenStatus('in_call_recording')
  expect(await command({ type: 'resume' })).toMatchObject({ ok: false, code: 'FST_ERR_BOT_STATUS' })
  await speak(meeting, 'ann', 4)
  await passes(1)
  expect(await command({ type: 'pause', chat_message: 'Paused' })).toMatchObject({ ok: true })
  await speak(meeting, 'ben', 3)
  // A busy browser plays sound late, and what it plays after the pause is recorded.
  await passes(5)
  expect(await command({ type: 'resume' })).toMatchObject({ ok: true })
  await passes(1)
  await speak(meeting, 'cleo', 4)
  expect(await command({ type: 'send_chat', message: 'Hello 😀\nsecond line' })).toMatchObject({ ok: true })
  expect(await command({ type: 'screenshot' })).toMatchObject({
    ok: true,
    data: { name: 'screenshots/0001.png' },
  })
  expect(await command({ type: 'dance' })).toMatchObject({ ok: false, code: 'INVALID_COMMAND' })
  expect(await command({ type: 'leave' })).toMatchObject({ ok: true })
  const { exitCode, report } = await bot.ended()

  expect(exitCode).toBe(0)
  expect(report).toMatchObject({ status: 'completed', end_code: 'API_REQUEST' })
  const sound = await soundOf(bot.file('video.mp4'))
  const whole = [0, report!.duration_seconds!] as const
  expect(heardShare(sound, LOOK.ann!, ...whole)).toBeGreaterThan(0.15)
  expect(heardShare(sound, LOOK.ben!, ...whole)).toBe(0)
  expect(heardShare(sound, LOOK.cleo!, ...whole)).toBeGreaterThan(0.15)
  expect((await probe(bot.file('video.mp4'))).seconds).toBeCloseTo(report!.duration_seconds!, 0)
  expect(bot.lines<{ speaker: string }>('diarization.jsonl').map(({ speaker }) => speaker)).not.toContain(
    'Ben <b>Bold</b>',
  )
  expect(meeting.truth.chat.map(({ text }) => text)).toEqual(['Paused', 'Hello 😀\nsecond line'])
  expect(statSync(bot.file('screenshots/0001.png')).size).toBeGreaterThan(1000)
  expect(seqs(eventsOf(await events()))).toEqual(seqs(bot.events))
  expectNoToken(bot)
})

test('a control plane that crashes and comes back has every event, once and in order; sound only needs no display server', async () => {
  const meeting = openMeeting('open', WITHOUT_CAMERAS)
  const folder = temporaryFolder()
  const plane = await startExample(folder)
  const control_plane = { url: plane.url, token: TOKEN }
  const bot = startBot(meeting, { job: { control_plane, recording_mode: 'audio_only' } })
  const { command, events } = clientOf(plane.api, bot.botId)
  await bot.whenStatus('in_call_recording')
  expect(bot.children('Xvfb')).toEqual([])
  await plane.close()
  await passes(1)
  await speak(meeting, 'ann', 4)
  meeting.say('ben', 'Said while nobody listened')
  await bot.whenEvent('chat_message')
  await startExample(folder, Number(new URL(plane.api).port))
  await expect.poll(() => command({ type: 'leave' }), { timeout: 60_000, interval: 1000 }).toMatchObject({ ok: true })
  const { exitCode } = await bot.ended()
  expect(exitCode).toBe(0)
  const stored = eventsOf(await events())
  expect(seqs(stored)).toEqual(seqs(bot.events))
  expect(stored.at(-1)?.event.type).toBe('final_report')
  expectNoToken(bot)

  expect(bot.files()).not.toContain('video.mp4')
  expect((await probe(bot.file('audio.m4a'))).codecs).toEqual(['aac'])
  const [turn] = truthOf(meeting, bot)
  const sound = await soundOf(bot.file('audio.m4a'))
  expect(heardShare(sound, LOOK.ann!, turn!.start + 0.5, turn!.end - 0.5)).toBeGreaterThan(0.6)
})

/** The token of the control plane is in no file and no log of the bot. */
function expectNoToken(bot: BotProcess): void {
  const names = bot.files().filter((file) => /\.(jsonl?|log)$/.test(file))
  expect(names).toContain('events.jsonl')
  for (const name of names) expect(readFileSync(bot.file(name), 'utf8'), name).not.toContain(TOKEN)
}
