import { readFileSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import type { Artifact } from '@standin/wire/events.ts'
import { describe, expect, test } from 'vitest'
import type { DiarizationSegment } from '../../src/run/timeline.ts'
import { isIndexFirst, probe } from '../media/media-info.ts'
import { heardShare, pictureAt, picturesOf, shownShare, soundOf, whiteShare } from '../media/meeting-recording.ts'
import { endToEnd } from './capture-environment.ts'
import { LOOK, passes, speak, startOf, truthOf } from './meeting-script.ts'

/** Of a picture, at least (0 to 255): a shared sheet is light, the composite around cameras is dark. */
const SCREEN = 100

const { openMeeting, startBot } = endToEnd()

describe('a meeting in speaker view', () => {
  test('is recorded, heard and seen, a shared screen first, written down and stored, from the join request to the final report', async () => {
    const meeting = openMeeting('waiting-room')
    const bot = startBot(meeting, { job: { entry_message: 'Hello from Standin', bot_name: 'Notes' } })
    await bot.whenStatus('in_waiting_room')
    expect(meeting.botName).toBe('Notes')
    await expect.poll(() => bot.logged('An encoder stands by').length, { timeout: 60_000 }).toBe(1)
    meeting.admit()
    await bot.whenStatus('in_call_recording')
    await bot.whenEvent('participant_joined', ({ participant }) => participant.name === 'Dan')
    await speak(meeting, 'ann', 4)
    await passes(2)
    await speak(meeting, 'ben', 4)
    await passes(2)
    await speak(meeting, 'dan', 4)
    meeting.say('cleo', 'A message with <script>alert(1)</script> & 😀')
    await bot.whenEvent('chat_message', ({ is_own }) => !is_own)
    meeting.startSharing('ben')
    const { at } = await bot.whenEvent('screen_share', ({ is_sharing }) => is_sharing)
    const shared = (Date.parse(at) - startOf(bot)) / 1000
    // Seen in the file as it grows: on a busy machine the first picture of a screen comes seconds after the event.
    const isSeenIn = async (path: string) =>
      (await picturesOf(path, shared)).some((picture) => brightness(picture) > SCREEN)
    await expect.poll(() => isSeenIn(bot.growing('video.mp4')), { timeout: 90_000, interval: 1000 }).toBe(true)
    meeting.stopSharing('ben')
    await bot.whenEvent('screen_share', ({ is_sharing }) => !is_sharing)
    await passes(1)
    meeting.endForAll()
    const { exitCode, report } = await bot.ended()

    expect(exitCode).toBe(0)
    expect(report).toMatchObject({ status: 'completed', end_code: 'BOT_REMOVED', error_code: null })
    expect(bot.logged('The picture is painted')).toMatchObject([{ on: 'frames' }])
    expect(bot.logged('Recording segment started')).toMatchObject([{ stoodBy: true }])
    expect(bot.statuses().join(' ')).toBe(
      'joining_call in_waiting_room in_call_not_recording in_call_recording completed',
    )
    const written = ['diarization.rttm', 'events.jsonl', 'manifest.json', 'poster.jpg', 'report.html']
    expect(bot.files()).toEqual(expect.arrayContaining(written))

    const media = await probe(bot.file('video.mp4'))
    expect(media).toMatchObject({ codecs: ['h264', 'aac'], width: 1280, height: 720, frameRate: '25/1' })
    expect(media.seconds).toBeCloseTo(report!.duration_seconds!, 0)
    expect(await isIndexFirst(bot.file('video.mp4'))).toBe(true)
    expect((await probe(bot.file('audio.m4a'))).codecs).toEqual(['aac'])
    const video = bot.json<{ files: Artifact[] }>('manifest.json').files.find(({ name }) => name === 'video.mp4')
    const contents = readFileSync(bot.file('video.mp4'))
    const checksum = crc32(contents).toString(16).padStart(8, '0')
    expect(video).toMatchObject({ bytes: contents.length, sha256: null, crc32: checksum })

    // The first pictures are the dark ground until the first camera has come. No page is seen.
    for (const picture of await picturesOf(bot.file('video.mp4'), 0, 3)) expect(whiteShare(picture)).toBeLessThan(0.2)

    const sound = await soundOf(bot.file('video.mp4'))
    const turns = truthOf(meeting, bot)
    expect(turns.map(({ id }) => id)).toEqual(['ann', 'ben', 'dan'])
    const segments = bot.lines<DiarizationSegment>('diarization.jsonl')
    for (const turn of turns) {
      const [from, to] = [turn.start + 0.5, turn.end - 0.5]
      expect(heardShare(sound, LOOK[turn.id]!, from, to), `${turn.id} is heard`).toBeGreaterThan(0.6)
      for (const [other, look] of Object.entries(LOOK))
        if (other !== turn.id) expect(heardShare(sound, look, from, to), `${other} is not`).toBeLessThan(0.1)
      const mine = segments.filter(({ speaker }) => speaker === turn.name)
      expect(mine.length, `${turn.name} is noted`).toBeGreaterThan(0)
      expect(Math.abs(mine[0]!.start_time - turn.start), `${turn.name} begins`).toBeLessThan(1)
      expect(Math.abs(mine.at(-1)!.end_time - turn.end), `${turn.name} ends`).toBeLessThan(1.5)
    }
    expect(segments.every(({ speaker }) => speaker !== 'Unknown' && speaker !== 'Notes')).toBe(true)

    // The speaker fills the picture, a participant without a camera by initials.
    const [ann, ben, dan] = turns
    expect(shownShare(await pictureAt(bot.file('video.mp4'), ann!.end - 0.5), LOOK.ann!)).toBeGreaterThan(0.3)
    expect(shownShare(await pictureAt(bot.file('video.mp4'), ben!.end - 0.5), LOOK.ben!)).toBeGreaterThan(0.3)

    // A shared screen comes before the cameras.
    expect(await isSeenIn(bot.file('video.mp4'))).toBe(true)
    expect(brightness(await pictureAt(bot.file('video.mp4'), dan!.end - 0.5))).toBeLessThan(SCREEN - 30)

    expect(report?.participants).toHaveLength(4)
    const people = bot.json<{ name: string }[]>('participants.json')
    expect(people.map(({ name }) => name).sort()).toEqual(['Ann Host', 'Ben <b>Bold</b>', 'Cléo Ñandú', 'Dan'])
    const chat =
      bot.json<{ text: string; sender_name: string; sender_id: number | null; is_own: boolean }[]>('chat_messages.json')
    expect(chat).toMatchObject([
      { text: 'Hello from Standin', sender_name: 'Notes', sender_id: null, is_own: true },
      { text: 'A message with <script>alert(1)</script> & 😀', sender_name: 'Cléo Ñandú', is_own: false },
    ])
    expect(meeting.truth.chat.map(({ text }) => text)).toContain('Hello from Standin')
    const admitted = meeting.truth.admittedAt!
    expect(
      bot.events.find(({ event }) => event.type === 'chat_message' && event.is_own)!.at <=
        new Date(admitted + 15_000).toISOString(),
    ).toBe(true)
    expect(bot.lines<{ seq: number }>('events.jsonl').map(({ seq }) => seq)).toEqual(bot.events.map(({ seq }) => seq))
  })
})

function brightness({ pixels }: { pixels: Buffer }): number {
  return pixels.reduce((sum, value) => sum + value, 0) / pixels.length
}
