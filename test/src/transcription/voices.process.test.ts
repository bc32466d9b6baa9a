/** Voices that come apart: a recognizer for each, speakers without doubt, and sound that is decoded for real. */
import { execFileSync } from 'node:child_process'
import type { Transcript } from '@standin/wire/events.ts'
import { expect, test } from 'vitest'
import { silentLogger } from '../../../packages/core/logger.ts'
import { LiveTranscription } from '../../../src/transcription/live.ts'
import { createOpenAiCompatible } from '../../../src/transcription/providers/openai-compatible.ts'
import { HandClock } from '../../fakes/clock.ts'
import { RATE, type RealtimeScript, startRealtime } from './realtime-service.ts'

const STAGE = { display: null, pulseServer: 's', pulseSink: 'meeting', width: 1, height: 1 }
const ANN = { id: 1, name: 'Ann', platform_id: 'a' }
const BEN = { id: 2, name: 'Ben', platform_id: 'b' }

/** A second of a tone as packets of Opus, 20 ms each. */
function tone(hertz: number): Buffer[] {
  const source = ['-f', 'lavfi', '-i', `sine=frequency=${hertz}:sample_rate=48000:duration=1`]
  const encoder = ['-ac', '1', '-c:a', 'libopus', '-application', 'voip', '-frame_duration', '20', '-f', 'ogg', '-']
  const ogg = execFileSync('ffmpeg', ['-v', 'error', ...source, ...encoder])
  const packets: Buffer[] = []
  const packet: Buffer[] = []
  for (let at = 0; at < ogg.length; ) {
    const lengths = [...ogg.subarray(at + 27, at + 27 + ogg[at + 26]!)]
    let from = at + 27 + lengths.length
    for (const length of lengths) {
      packet.push(ogg.subarray(from, from + length))
      from += length
      if (length < 255) packets.push(Buffer.concat(packet.splice(0)))
    }
    at = from
  }
  // The first two are headers.
  return packets.slice(2)
}

const [LOW, HIGH] = [tone(300), tone(1500)]

/** The recognized word is the pitch of the sound, from how often it crosses zero. */
const byPitch: RealtimeScript = {
  commit(session, _words, id) {
    session.say({ type: 'input_audio_buffer.committed', item_id: id })
    const transcript = `hears ${pitchOf(sounds.get(session)!)}`
    sounds.set(session, Buffer.alloc(0))
    session.say({ type: 'conversation.item.input_audio_transcription.completed', item_id: id, transcript })
    return true
  },
  append(session) {
    sounds.set(session, session.buffer)
    return true
  },
}
const sounds = new Map<unknown, Buffer>()

function pitchOf(sound: Buffer): string {
  let crossings = 0
  for (let at = 2; at < sound.byteLength; at += 2)
    if (sound.readInt16LE(at - 2) < 0 !== sound.readInt16LE(at) < 0) crossings++
  const hertz = crossings / 2 / (sound.byteLength / 2 / RATE)
  return hertz < 600 ? 'low' : 'high'
}

const PATIENT = { timeout: 30_000, interval: 20 }

async function scene(url: string) {
  const clock = new HandClock()
  const begins = clock.now()
  const said: Transcript[] = []
  let captured = 0
  const common = { url: 'http://127.0.0.1:9/v1', key: null, model: 'm', liveModel: 'm', customParams: {} }
  const live = new LiveTranscription({
    recognition: createOpenAiCompatible({ ...common, liveUrl: url }).live,
    capture: async () => {
      captured++
      return { ended: new Promise(() => {}), stop: async () => {} }
    },
    ...{ hearsVoices: true, folder: '/nowhere', clock, logger: silentLogger },
    notice: () => {},
    emit: (transcript) => said.push(transcript),
  })
  live.start(STAGE, {
    offset: (at) => (at - begins) / 1000,
    turns: () => [],
    person: (id) => [ANN, BEN].find((person) => person.platform_id === id) ?? null,
  })
  await clock.advance(0)
  return { clock, live, said, captured: () => captured }
}

test('two who speak at once are two texts, each with its speaker, its id and its time', async () => {
  const { url, sessions } = await startRealtime(byPitch)
  const { clock, live, said, captured } = await scene(url)
  for (let index = 0; index < 50; index++) {
    await clock.advance(20)
    const at = clock.now() - 20
    live.takeVoice({ participantId: 'a', at, opus: LOW[index]! })
    if (index >= 10) live.takeVoice({ participantId: 'b', at, opus: HIGH[index]! })
  }
  // They come at the pause, not only when the meeting ends.
  const pause = async () => {
    await clock.advance(100)
    return said.filter(({ is_final: isFinal }) => isFinal)
  }
  await expect.poll(pause, PATIENT).toHaveLength(2)
  await live.close()
  const finals = said.filter(({ is_final: isFinal }) => isFinal)
  expect(finals.map(({ speaker, text }) => `${speaker?.name}: ${text}`).toSorted()).toEqual([
    'Ann: hears low',
    'Ben: hears high',
  ])
  expect(finals.find(({ speaker }) => speaker?.name === 'Ben')!.start).toBeCloseTo(0.2, 0)
  expect(new Set(finals.map(({ id }) => id)).size).toBe(2)
  expect(sessions).toHaveLength(2)
  expect(captured()).toBe(0)
  const { utterances, gap, holes } = live.result()
  expect({ gap, holes }).toEqual({ gap: null, holes: [] })
  expect(utterances!.map(({ userId }) => userId).toSorted()).toEqual([1, 2])
})

test('a meeting that mixes its voices is heard as a whole, and its beginning is a hole', async () => {
  const { url } = await startRealtime(byPitch)
  const { clock, live, captured } = await scene(url)
  const begins = clock.now()
  await clock.advance(8_000)
  for (let person = 0; person < 2; person++) live.hearMixed(begins)
  await clock.advance(100)
  expect(captured()).toBe(1)
  await live.close()
  expect(live.result().holes).toEqual([{ start: 0, end: expect.closeTo(8, 0), userId: null }])
})

test('words of a voice that no recognizer took are a hole of this person alone', async () => {
  let refused = 0
  const { url } = await startRealtime({
    refuse: () => {
      refused++
      return 503
    },
  })
  const { clock, live } = await scene(url)
  for (let index = 0; index < 50; index++) {
    await clock.advance(20)
    live.takeVoice({ participantId: 'a', at: clock.now() - 20, opus: LOW[index]! })
  }
  await expect.poll(() => refused, PATIENT).toBeGreaterThan(0)
  await live.close()
  expect(live.result().holes).toEqual([{ start: expect.closeTo(0, 1), end: expect.closeTo(1, 1), userId: 1 }])
})
