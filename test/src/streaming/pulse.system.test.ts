/** Sound in and out of the capture environment, through a real sound server and real ffmpegs. */
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { messageBytes } from '../../../src/streaming/messages.ts'
import { captureSink, speakIntoRecording } from '../../../src/streaming/pulse.ts'
import { setUpEnvironment, until } from '../../media/capture-environment.ts'
import { soundOf } from '../../media/meeting-recording.ts'
import { SOURCE } from '../../media/tone-and-flash.ts'

const RATE = 24_000
const VOICE_HERTZ = 400
/** Of what `soundOf` gives. */
const RECORDED_RATE = 16_000

/** Share of the sound's power at a frequency, 0 to 1 (Goertzel). */
function share(samples: ArrayLike<number>, hertz: number, rate: number): number {
  const coefficient = 2 * Math.cos((2 * Math.PI * hertz) / rate)
  let [before, last, power] = [0, 0, 0]
  for (let index = 0; index < samples.length; index++) {
    const value = samples[index]!
    ;[before, last] = [last, value + coefficient * last - before]
    power += value * value
  }
  const atHertz = before * before + last * last - coefficient * before * last
  return power === 0 ? 0 : (2 * atHertz) / (power * samples.length)
}

function tone(seconds: number): Buffer {
  const samples = Int16Array.from({ length: seconds * RATE }, (_, index) =>
    Math.round(Math.sin((2 * Math.PI * VOICE_HERTZ * index) / RATE) * 12_000),
  )
  return Buffer.from(samples.buffer)
}

test('the meeting is heard without the bot, and the recording has both', async () => {
  const environment = await setUpEnvironment({ mode: 'audio_only', withVoice: true })
  onTestFinished(() => environment.close())
  const heard: Int16Array[] = []
  const ears = await captureSink(environment.environment, RATE, environment.folder, (message) => {
    expect(message.byteLength).toBe(messageBytes(RATE))
    heard.push(new Int16Array(message.buffer, message.byteOffset, message.length / 2))
  })
  onTestFinished(async () => void (await ears.stop()))
  const { voiceSink } = environment.environment
  const voice = await speakIntoRecording(
    { ...environment.environment, voiceSink: voiceSink! },
    RATE,
    environment.folder,
  )
  onTestFinished(async () => void (await voice.stop()))

  await environment.recorder.start()
  await until(() => heard.length > 20)
  // In real time, as a meeting's microphone takes it.
  const speaking = setInterval(() => voice.stdin!.write(tone(0.1)), 100)
  onTestFinished(() => clearInterval(speaking))
  await environment.recorded(12)
  await environment.finish()

  const loud = heard.filter((samples) => samples.some((value) => Math.abs(value) > 4000))
  expect(loud.filter((samples) => share(samples, SOURCE.toneHertz, RATE) > 0.8).length).toBeGreaterThan(5)
  const peak = Math.max(...loud.map((samples) => Math.max(...samples)))
  expect(peak).toBeGreaterThan(14_000)
  expect(peak).toBeLessThan(18_000)
  expect(loud.filter((samples) => share(samples, VOICE_HERTZ, RATE) > 0.05)).toEqual([])

  const recorded = await soundOf(join(environment.folder, 'audio.m4a'))
  const tenths = Array.from({ length: 60 }, (_, index) => {
    const from = recorded.length - (index + 15) * (RECORDED_RATE / 10)
    return recorded.subarray(from, from + RECORDED_RATE / 10)
  })
  const windowsWith = (hertz: number) => tenths.filter((tenth) => share(tenth, hertz, RECORDED_RATE) > 0.15).length
  // The beep sounds for 0.3 s of every two; the voice all the time, at most once anywhere.
  expect(windowsWith(VOICE_HERTZ)).toBeGreaterThan(50)
  expect(windowsWith(SOURCE.toneHertz)).toBeGreaterThan(5)
  // Both together, by the factor 1.41 with which two equal channels become one; the voice twice would reach 1.7.
  expect(Math.max(...tenths.map((tenth) => Math.max(...tenth)))).toBeLessThan(1.4)
})
