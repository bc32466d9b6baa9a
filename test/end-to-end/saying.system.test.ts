import { expect, test } from 'vitest'
import { openVoice } from '../../src/voice/index.ts'
import { soundOf } from '../media/meeting-recording.ts'
import { clientOf, startExample, TOKEN } from '../src/control-link/support.ts'
import { endToEnd } from './capture-environment.ts'
import { speak, WITHOUT_CAMERAS } from './meeting-script.ts'

const { openMeeting, startBot } = endToEnd()
/** One sentence: on a busy machine there is a pause between two, which may make two turns of them. */
const TEXT = 'Five minutes are left for the last point of today.'
/** Of `soundOf`. */
const RATE = 16_000

const energyOf = (sound: Float32Array) => sound.reduce((sum, value) => sum + value * value, 0)

test('what a bot says is in its recording once, as its own turn, and a person cuts it', async () => {
  const meeting = openMeeting('open', WITHOUT_CAMERAS)
  const plane = await startExample()
  const job = { control_plane: { url: plane.url, token: TOKEN }, recording_mode: 'audio_only' }
  const bot = startBot(meeting, { job })
  const { command } = clientOf(plane.api, bot.botId)
  await bot.whenStatus('in_call_recording')
  const text = { type: 'say', text: TEXT, interrupt: true, replace: false }
  expect(await command(text)).toMatchObject({ ok: true, data: { outcome: 'said', heard_text: TEXT } })
  const cut = command({ ...text, text: `${TEXT} `.repeat(8).trim() })
  await speak(meeting, 'ann', 6)
  const { data } = (await cut) as { data: { outcome: string; heard_seconds: number } }
  expect(data.outcome).toBe('interrupted')
  expect(data.heard_seconds).toBeLessThan(6)
  await command({ type: 'leave' })
  expect((await bot.ended()).exitCode).toBe(0)

  const own = bot.lines<{ speaker: string; start_time: number; end_time: number }>('diarization.jsonl')
  const [turn] = own.filter(({ speaker }) => speaker === 'Standin')
  const pcm = await openVoice({ kind: 'flite', voice: 'slt' }, RATE).speak(TEXT, new AbortController().signal)
  const said = Float32Array.from(new Int16Array(Uint8Array.from(pcm).buffer), (value) => value / 32_768)
  expect(turn!.end_time - turn!.start_time - said.length / RATE).toBeGreaterThan(-0.3)
  expect(turn!.end_time - turn!.start_time - said.length / RATE).toBeLessThan(5)
  const sound = await soundOf(bot.file('audio.m4a'))
  // The text that is cut may follow in the same turn.
  const recorded = sound.subarray(Math.round(turn!.start_time * RATE)).subarray(0, said.length)
  // The recorder sums both channels, to twice the energy; the same sound twice would have four to eight times of it.
  expect(energyOf(recorded) / energyOf(said)).toBeGreaterThan(1)
  expect(energyOf(recorded) / energyOf(said)).toBeLessThan(3)
})
