/** Participant tracks of whole bots: each has the participant's own words at their times, apart from cross talk. */
import { expect, test } from 'vitest'
import { type MockPlatformName, startMock } from '../../packages/mock/index.ts'
import { heardShare, soundOf } from '../media/meeting-recording.ts'
import { platformArguments } from './bot-process.ts'
import { endToEnd } from './capture-environment.ts'
import { LOOK, passes, speak, truthOf } from './meeting-script.ts'

interface VoiceEntry {
  file: string
  id: number
  name: string
}

/** The most that the browser holds back to keep sound and picture in sync; seconds behind a turn's end. */
const ON_THE_WAY = 1

/** To be called in a test file. */
export function writesVoiceFiles(platform: MockPlatformName): void {
  const { openMeeting, startBot } = endToEnd(() => startMock(platform))

  test('each participant has a file with their own voice, on the clock of the recording', async () => {
    const meeting = openMeeting()
    const bot = startBot(meeting, {
      arguments: ['--separate-tracks', ...platformArguments(platform, meeting)],
      job: { recording_mode: 'audio_only' },
    })
    await bot.whenStatus('in_call_recording')
    await passes(1)
    await speak(meeting, 'ann', 2.5)
    await passes(1)
    meeting.startSpeaking('ben')
    await passes(1)
    await speak(meeting, 'cleo', 2)
    await passes(1)
    meeting.stopSpeaking('ben')
    await passes(1)
    await speak(meeting, 'ann', 2)
    await passes(1)
    bot.kill('SIGINT')
    const { exitCode, report } = await bot.ended()
    expect(exitCode).toBe(0)

    const index = bot.json<VoiceEntry[]>('audio/index.json')
    expect(index.map(({ file, name }) => ({ file, name }))).toEqual([
      { file: '001-ann-host.ogg', name: 'Ann Host' },
      { file: '002-ben-b-bold-b.ogg', name: 'Ben <b>Bold</b>' },
      { file: '003-cleo-nandu.ogg', name: 'Cléo Ñandú' },
    ])
    const stored = report!.artifacts.map(({ name }) => name)
    expect(stored).toEqual(expect.arrayContaining([...index.map(({ file }) => `audio/${file}`), 'audio/index.json']))

    const truth = truthOf(meeting, bot)
    const recorded = await soundOf(bot.file('audio.m4a'))
    const voices = await Promise.all(index.map(({ file }) => soundOf(bot.file(`audio/${file}`))))
    for (const [place, { name }] of index.entries()) {
      const own = truth.filter((turn) => turn.name === name)
      const look = LOOK[own[0]!.id]!
      for (const { start: from, end } of own) {
        const inRecording = heardShare(recorded, look, from, end + ON_THE_WAY)
        expect(inRecording, `${name} in the recording`).toBeGreaterThan(0)
        expect(heardShare(voices[place]!, look, from, end + ON_THE_WAY), name).toBeGreaterThan(inRecording * 0.6)
      }
      for (const [id, other] of Object.entries(LOOK))
        if (other !== look)
          expect(heardShare(voices[place]!, other, 0, report!.duration_seconds!), `${id} in the file of ${name}`).toBe(
            0,
          )
    }
    // Together they are what was recorded, at the same instants.
    const { lagSeconds, likeness } = compare(recorded, voices)
    console.log(
      `the files lie ${Math.round(lagSeconds * 1000)} ms before the recording, likeness ${likeness.toFixed(2)}`,
    )
    expect(Math.abs(lagSeconds)).toBeLessThanOrEqual(0.15)
    expect(likeness).toBeGreaterThan(0.8)
  })
}

/** Loudness by 5 ms of a recording against that of all its voices, moved until they are most alike (1: the same). */
function compare(recorded: Float32Array, voices: readonly Float32Array[]): { lagSeconds: number; likeness: number } {
  const whole = loudness(recorded)
  const parts = voices.map(loudness)
  const sum = whole.map((_, index) => parts.reduce((total, part) => total + (part[index] ?? 0), 0))
  let best = { lagSeconds: 0, likeness: 0 }
  for (let lag = -100; lag <= 100; lag++) {
    let [both, one, other] = [0, 0, 0]
    for (const [index, value] of whole.entries()) {
      const moved = sum[index - lag] ?? 0
      both += value * moved
      one += value * value
      other += moved * moved
    }
    const likeness = both / Math.sqrt(one * other)
    if (likeness > best.likeness) best = { lagSeconds: lag * 0.005, likeness }
  }
  return best
}

function loudness(sound: Float32Array): number[] {
  const size = 80
  return Array.from({ length: Math.floor(sound.length / size) }, (_, index) => {
    let power = 0
    for (const value of sound.subarray(index * size, (index + 1) * size)) power += value * value
    return Math.sqrt(power / size)
  })
}
