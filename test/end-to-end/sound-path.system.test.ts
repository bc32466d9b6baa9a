/** Whole bots whose meeting's sound takes another way in the middle: nothing is lost in silence. */
import { execFileSync } from 'node:child_process'
import { expect, onTestFinished, test } from 'vitest'
import type { MockMeeting } from '../../packages/mock/types.ts'
import type { DiarizationSegment } from '../../src/run/timeline.ts'
import { heardShare, soundOf } from '../media/meeting-recording.ts'
import { Receiver } from '../src/streaming/receiver.ts'
import { startRealtime } from '../src/transcription/realtime-service.ts'
import type { BotProcess } from './bot-process.ts'
import { endToEnd } from './capture-environment.ts'
import { LOOK, passes, speak, startSpeaking, truthOf, WITHOUT_CAMERAS } from './meeting-script.ts'

const { openMeeting, startBot } = endToEnd()
const THREE = ['ann', 'ben', 'cleo']
/** A voice has pauses between its words, and a busy machine plays it late. */
const HEARD = 0.5

const notices = (bot: BotProcess) =>
  bot.events.flatMap(({ event }) => (event.type === 'notice' ? [event.message] : [])).join('\n')

/** The share of each turn that is heard, and that is noted as this person's; and whether it has words of this person. */
async function turnsOf(meeting: MockMeeting, bot: BotProcess) {
  const sound = await soundOf(bot.file('audio.m4a'))
  const segments = bot.lines<DiarizationSegment>('diarization.jsonl')
  return truthOf(meeting, bot).map(({ id, name, start, end }) => {
    const parts = segments.filter(({ speaker }) => speaker === name)
    const noted = parts.reduce(
      (sum, part) => sum + Math.max(0, Math.min(end, part.end_time) - Math.max(start, part.start_time)),
      0,
    )
    const hasWords = bot.events.some(
      ({ event }) =>
        event.type === 'transcript' && event.speaker?.name === name && event.start < end && event.end > start,
    )
    return { id, hasWords, heard: heardShare(sound, LOOK[id]!, start, end + 0.5), noted: noted / (end - start) }
  })
}

test('a page that begins to decode the sound itself: recording, speakers and live sound go on, and the rest is said', async () => {
  const receiver = await Receiver.start()
  onTestFinished(() => receiver.close())
  const speech = await startRealtime({
    commit(session, _, id) {
      session.say({ type: 'input_audio_buffer.committed', item_id: id })
      session.say({ type: 'conversation.item.input_audio_transcription.completed', item_id: id, transcript: 'spoken' })
      return true
    },
  })
  const meeting = openMeeting('open', WITHOUT_CAMERAS)
  const bot = startBot(meeting, {
    environment: { STANDIN_TRANSCRIPTION_URL: 'http://127.0.0.1:9/v1', STANDIN_TRANSCRIPTION_LIVE_URL: speech.url },
    arguments: ['--separate-tracks', '--stream-output', receiver.url, '--stream-rate', '16000'],
    job: { recording_mode: 'audio_only', transcription: { provider: 'Default', mode: 'live' } },
  })
  await bot.whenStatus('in_call_recording')
  await bot.whenEvent('participant_joined', ({ participant }) => participant.name === 'Dan')
  for (const id of THREE) {
    await speak(meeting, id, 4)
    await passes(1)
  }
  meeting.show('own-decoder')
  await passes(1)
  for (const id of THREE) {
    await speak(meeting, id, 9)
    await passes(1)
  }
  bot.kill('SIGINT')
  expect((await bot.ended()).exitCode).toBe(0)

  const turns = await turnsOf(meeting, bot)
  console.log(
    turns
      .map(
        ({ id, heard, noted, hasWords }) =>
          `${id}: heard ${heard.toFixed(2)}, noted ${noted.toFixed(2)}, words ${hasWords}`,
      )
      .join('\n'),
  )
  expect(turns.map(({ id }) => id)).toEqual([...THREE, ...THREE])
  // Words of the first 8 s are a hole: only then is it clear that no voice comes apart any more.
  expect(turns.map(({ hasWords }) => hasWords)).toEqual([true, true, true, expect.any(Boolean), true, true])
  for (const { id, heard, noted } of turns) {
    expect(heard, `${id} is heard`).toBeGreaterThan(HEARD)
    expect(noted, `${id} is noted`).toBeGreaterThan(0.6)
  }
  for (const { name } of WITHOUT_CAMERAS.slice(0, 3))
    expect(notices(bot)).toContain(`The page mixes the sound of ${name}`)
  expect(notices(bot)).toContain('the live sound comes from the sound server now')
  expect(notices(bot)).not.toContain('no sound of them is recorded')
  const live = Buffer.concat(receiver.sounds.map(({ samples }) => samples))
  const last = Float32Array.from(
    { length: 8 * 16_000 },
    (_, at) => live.readInt16LE(live.length - 2 * (9 * 16_000 - at)) / 32_768,
  )
  expect(heardShare(last, LOOK.cleo!, 0, 8), 'the last turn is streamed').toBeGreaterThan(HEARD)
})

test('streams that another program leads elsewhere are brought back, and the hole is marked', async () => {
  const meeting = openMeeting('open', WITHOUT_CAMERAS)
  const bot = startBot(meeting, { job: { recording_mode: 'audio_only' } })
  await bot.whenStatus('in_call_recording')
  await passes(1)
  await startSpeaking(meeting, 'ann')
  await passes(3)
  const [{ sound: server }] = bot.logged('Capture environment ready') as [Record<string, unknown>]
  const pactl = (...args: string[]) => execFileSync('pactl', [`--server=unix:${server}`, ...args], { encoding: 'utf8' })
  pactl('load-module', 'module-null-sink', 'sink_name=elsewhere')
  // Again and again: each time it is brought back.
  const movedAt = Date.now()
  while (Date.now() - movedAt < 6_000) {
    for (const line of pactl('list', 'short', 'sink-inputs').trim().split('\n'))
      pactl('move-sink-input', line.split('\t')[0]!, 'elsewhere')
    await passes(0.1)
  }
  const { at } = await bot.whenEvent('notice', ({ message }) => message.includes('its sound was led elsewhere'))
  expect(Date.parse(at) - movedAt).toBeLessThan(8_000)
  await passes(8)
  meeting.stopSpeaking('ann')
  await passes(1)
  bot.kill('SIGINT')
  const { report } = await bot.ended()
  const { start, end } = truthOf(meeting, bot)[0]!
  const sound = await soundOf(bot.file('audio.m4a'))
  expect(heardShare(sound, LOOK.ann!, end - 5, end), 'the end of the turn').toBeGreaterThan(HEARD)
  const lost = (report?.gaps ?? []).reduce((sum, { seconds }) => sum + seconds, 0)
  const silent = (1 - heardShare(sound, LOOK.ann!, start, end)) * (end - start)
  console.log(`put right ${(Date.parse(at) - movedAt) / 1000} s later, ${lost} s marked`)
  expect(new Set(report?.gaps?.map(({ reason }) => reason))).toEqual(new Set(['sound_lost']))
  expect(lost).toBeLessThan(silent + 2)
})
