/**
 * If a program crashes in the middle of a meeting, the recording until then exists and plays, and the code is right.
 */
import type { Gap } from '@standin/wire/events.ts'
import { describe, expect, test } from 'vitest'
import type { MockMeeting } from '../../packages/mock/types.ts'
import type { DiarizationSegment } from '../../src/run/timeline.ts'
import { probe } from '../media/media-info.ts'
import { heardShare, picturesOf, shownShare, soundOf } from '../media/meeting-recording.ts'
import { type BotProcess, recover } from './bot-process.ts'
import { endToEnd } from './capture-environment.ts'
import { LOOK, passes, speak, startSpeaking, type Turn, truthOf } from './meeting-script.ts'

const { openMeeting, startBot } = endToEnd()
/** A death may cost so much of the recording. */
const LOST_SECONDS = 3
/** A browser that has only just come back plays sound late on a machine that is busy with its start. */
const LATE_SECONDS = 2

function killOne(bot: BotProcess, text: string): void {
  const [pid] = bot.children(text)
  if (pid === undefined) throw new Error(`The bot has no child ${text}`)
  process.kill(pid, 'SIGKILL')
}

/** Kills a program of the bot while it records; resolves with the gap that this leaves. */
async function gapAfter(bot: BotProcess, kill: () => void | Promise<void>) {
  const gaps = () => bot.events.flatMap(({ event }) => (event.type === 'recording_gap' ? [event] : []))
  const last = gaps().at(-1)?.offset ?? -1
  const killedAt = Date.now()
  await kill()
  const { event: gap } = await bot.whenEvent('recording_gap', ({ offset }) => offset > last)
  expect((killedAt - Date.parse(gap.started_at)) / 1000).toBeLessThan(LOST_SECONDS)
  return gap
}

/** The turns of the meeting by the recording's clock, each after one gap more: truth counts on through the gaps. */
function turnsAfterGaps(meeting: MockMeeting, bot: BotProcess, gaps: { seconds: number }[]): Turn[] {
  return truthOf(meeting, bot).map((turn, index) => {
    const missing = gaps.slice(0, index + 1).reduce((sum, { seconds }) => sum + seconds, 0)
    return { ...turn, start: turn.start - missing, end: turn.end - missing }
  })
}

async function expectHeardAndSeen(bot: BotProcess, turns: Turn[]): Promise<void> {
  const sound = await soundOf(bot.file('video.mp4'))
  for (const turn of turns) {
    expect(heardOf(turn, sound), turn.id).toBeGreaterThan(0.5)
    // A busy machine shows a speaker late, as it plays the voice late.
    const pictures = await picturesOf(bot.file('video.mp4'), turn.end - 1.5, 1.5 + LATE_SECONDS)
    const shares = pictures.map((picture) => shownShare(picture, LOOK[turn.id]!))
    expect(Math.max(...shares), turn.id).toBeGreaterThan(0.3)
  }
}

async function expectOneFile(bot: BotProcess, gaps: Gap[]): Promise<void> {
  const { exitCode, report } = await bot.ended()
  expect(exitCode).toBe(0)
  expect(report).toMatchObject({ status: 'completed', end_code: 'BOT_REMOVED' })
  expect(report?.gaps?.map(({ offset, reason }) => ({ offset, reason }))).toEqual(
    gaps.map(({ offset, reason }) => ({ offset, reason })),
  )
  const media = await probe(bot.file('video.mp4'))
  expect(media.codecs).toEqual(['h264', 'aac'])
  expect(media.seconds).toBeCloseTo(report!.duration_seconds!, 0)
}

/** A bot comes back into one meeting three times at most, so these deaths are divided between two meetings. */
describe('killed in the middle of a meeting', () => {
  test('browser, page and display server are replaced, and the recording continues in the same file', async () => {
    // The page cannot paint frames, so the bot needs a display.
    const meeting = openMeeting('no-workers')
    const bot = startBot(meeting, { job: { entry_message: 'Hello' } })
    await bot.whenStatus('in_call_recording')
    await bot.whenEvent('participant_joined', ({ participant }) => participant.name === 'Dan')
    await passes(1)
    await startSpeaking(meeting, 'ann')
    await passes(4)
    const first = await gapAfter(bot, () => killOne(bot, '--remote-debugging-pipe'))
    meeting.stopSpeaking('ann')
    await passes(1)
    await speak(meeting, 'ben', 4)
    meeting.say('cleo', 'After the first')
    await bot.whenEvent('chat_message', ({ text }) => text === 'After the first')
    const second = await gapAfter(bot, () => {
      for (const pid of bot.children('--type=renderer')) process.kill(pid, 'SIGKILL')
    })
    await passes(1)
    await speak(meeting, 'cleo', 4)
    const third = await gapAfter(bot, () => killOne(bot, 'Xvfb'))
    await passes(1)
    await speak(meeting, 'ben', 4)
    await passes(1)
    meeting.endForAll()

    const gaps = [first, second, third]
    await expectOneFile(bot, gaps)
    expect(gaps.map(({ reason }) => reason)).toEqual(['browser_died', 'browser_died', 'browser_died'])
    expect(bot.statuses()).toEqual(['joining_call', 'in_call_not_recording', 'in_call_recording', 'completed'])

    // The first death was in the middle of Ann's turn.
    const [ann] = truthOf(meeting, bot)
    const turns = turnsAfterGaps(meeting, bot, [{ seconds: 0 }, ...gaps]).slice(1)
    expect(turns.map(({ id }) => id)).toEqual(['ben', 'cleo', 'ben'])
    const sound = await soundOf(bot.file('video.mp4'))
    expect(heardShare(sound, LOOK.ann!, ann!.start, first.offset)).toBeGreaterThan(0.5)
    await expectHeardAndSeen(bot, turns)

    const segments = bot.lines<DiarizationSegment>('diarization.jsonl')
    // Where the machine stalled, her turn is in two.
    const ofAnn = segments.filter(({ speaker, start_time }) => speaker === ann!.name && start_time < first.offset)
    expect(Math.abs(ofAnn.at(-1)!.end_time - first.offset)).toBeLessThan(LATE_SECONDS)
    for (const turn of turns) {
      const near = segments.filter(({ speaker, end_time }) => speaker === turn.name && end_time > turn.start)
      expect(Math.abs(near[0]!.start_time - turn.start), turn.id).toBeLessThan(LATE_SECONDS)
    }
    // Each participant came once, none left for it, and no message was reported twice.
    const people = bot.json<{ name: string; visits: unknown[] }[]>('participants.json')
    expect(people.map(({ name }) => name).sort()).toEqual(['Ann Host', 'Ben <b>Bold</b>', 'Cléo Ñandú', 'Dan'])
    expect(people.flatMap(({ visits }) => visits)).toHaveLength(4)
    expect(bot.json<{ text: string }[]>('chat_messages.json').map(({ text }) => text)).toEqual([
      'Hello',
      'After the first',
    ])
  })

  test('a sound server in the waiting room: the bot asks again; encoder and sound server later: the recording continues; then the bot itself: it is recovered', async () => {
    const meeting = openMeeting('waiting-room')
    const bot = startBot(meeting)
    await bot.whenStatus('in_waiting_room')
    killOne(bot, 'pulseaudio')
    await meeting.whenState('left', 60_000)
    await meeting.whenState('lobby', 60_000)
    meeting.admit()
    await bot.whenStatus('in_call_recording')
    await bot.whenEvent('participant_joined', ({ participant }) => participant.name === 'Dan')
    await passes(1)
    await speak(meeting, 'cleo', 4)
    await passes(1)
    const first = await gapAfter(bot, () => killOne(bot, 'ffmpeg'))
    await speak(meeting, 'ben', 4)
    await passes(1)
    const second = await gapAfter(bot, async () => {
      killOne(bot, 'pulseaudio')
      await meeting.whenState('lobby', 60_000)
      meeting.admit()
    })
    await speak(meeting, 'cleo', 4)
    await passes(LOST_SECONDS)
    expect([first.reason, second.reason]).toEqual(['encoder_died', 'browser_died'])

    const children = bot.children('')
    expect(children.length).toBeGreaterThan(3)
    bot.kill('SIGKILL')
    await bot.exitCode
    await expect.poll(() => children.filter(isAlive), { timeout: 30_000 }).toEqual([])
    await recover(bot.folder)
    const turns = turnsAfterGaps(meeting, bot, [{ seconds: 0 }, first, second])
    await expectHeardAndSeen(bot, turns)
    for (const name of ['video.mp4', 'audio.m4a'])
      expect((await probe(bot.file(name))).seconds, name).toBeGreaterThan(turns.at(-1)!.end)
    const events = bot.lines<{ event: { type: string; status?: string } }>('events.jsonl')
    expect(events.map(({ event }) => event.status)).toContain('in_call_recording')
    expect(events.filter(({ event }) => event.type === 'recording_gap')).toHaveLength(2)
  })
})

/** Share of a turn, given in the recording's seconds, that is heard. */
function heardOf({ id, start, end }: Turn, sound: Float32Array): number {
  const until = end + LATE_SECONDS
  return (heardShare(sound, LOOK[id]!, start, until) * (until - start)) / (end - start)
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
