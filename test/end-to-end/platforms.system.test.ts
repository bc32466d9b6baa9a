/**
 * One real recording of every other platform: the whole program, its own screen and sound, measured against the truth.
 * Jitsi Meet's page reloads itself in the middle, and the same file continues without a gap.
 */
import { describe, expect, test } from 'vitest'
import type { MockMeeting } from '../../packages/mock/types.ts'
import type { DiarizationSegment } from '../../src/run/timeline.ts'
import { probe } from '../media/media-info.ts'
import { heardShare, pictureAt, shownShare, soundOf } from '../media/meeting-recording.ts'
import { JITSI, MICROSOFT_TEAMS, ZOOM } from '../platforms/conformance/platforms.ts'
import { type BotProcess, platformArguments } from './bot-process.ts'
import { endToEnd } from './capture-environment.ts'
import { LOOK, passes, speak, truthOf } from './meeting-script.ts'

/** The page reloads itself while it is recorded: its new document paints where the old one did. */
async function reload(meeting: MockMeeting, bot: BotProcess): Promise<void> {
  meeting.show('server-lost')
  await bot.whenEvent('notice', ({ message }) => message.includes('recovered'))
  await passes(4)
}

describe.each([
  { ...MICROSOFT_TEAMS, between: () => passes(2) },
  { ...ZOOM, between: () => passes(2) },
  { ...JITSI, between: reload },
])('$name', ({ platform, start, between }) => {
  const { openMeeting, startBot } = endToEnd(start)

  test('is recorded in speaker view: who speaks is seen, heard and noted', async () => {
    const meeting = openMeeting()
    const bot = startBot(meeting, {
      arguments: platformArguments(platform, meeting),
      job: { entry_message: 'Hello from Standin', bot_name: 'Notes' },
    })
    await bot.whenStatus('in_call_recording')
    await bot.whenEvent('participant_joined', ({ participant }) => participant.name === 'Dan')
    await speak(meeting, 'ann', 4)
    await between(meeting, bot)
    await speak(meeting, 'ben', 4)
    await passes(1)
    meeting.endForAll()
    const { exitCode, report } = await bot.ended()

    expect(report).toMatchObject({ status: 'completed', end_code: 'BOT_REMOVED', meeting_platform: platform })
    expect(exitCode).toBe(0)
    expect(report!.gaps ?? []).toEqual([])
    expect(bot.logged('The picture is painted')).toMatchObject([{ on: 'frames' }])
    expect(report!.participants.map(({ name }) => name).sort()).toEqual([
      'Ann Host',
      'Ben <b>Bold</b>',
      'Cléo Ñandú',
      'Dan',
    ])
    expect(meeting.truth.chat.map(({ text }) => text)).toContain('Hello from Standin')
    const video = bot.file('video.mp4')
    expect(await probe(video)).toMatchObject({ codecs: ['h264', 'aac'], width: 1280, height: 720 })

    const turns = truthOf(meeting, bot)
    expect(turns.map(({ id }) => id)).toEqual(['ann', 'ben'])
    const sound = await soundOf(video)
    const segments = bot.lines<DiarizationSegment>('diarization.jsonl')
    for (const turn of turns) {
      const look = LOOK[turn.id]!
      expect(heardShare(sound, look, turn.start + 0.7, turn.end - 0.5), `${turn.id} is heard`).toBeGreaterThan(0.5)
      expect(shownShare(await pictureAt(video, turn.end - 0.5), look), `${turn.id} is seen`).toBeGreaterThan(0.3)
      const mine = segments.filter(({ speaker }) => speaker === turn.name)
      expect(mine.length, `${turn.name} is noted`).toBeGreaterThan(0)
      // On a machine that starves the sound, the page's marks are left, which linger after the last word.
      expect(Math.abs(mine[0]!.start_time - turn.start), `${turn.name} begins`).toBeLessThan(1.5)
      expect(Math.abs(mine.at(-1)!.end_time - turn.end), `${turn.name} ends`).toBeLessThan(2.5)
    }
    expect(segments.every(({ speaker }) => ['Ann Host', 'Ben <b>Bold</b>'].includes(speaker))).toBe(true)
  })
})
