/** Transcripts in a worker run: made after the recording is stored, and a failure never costs the recording. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { RecordedTime } from '../../../core/ports.ts'
import { grown, World } from '../../fakes/world.ts'

const JOB = { transcription: { timeout: 60 } }

async function recorded(setUp: (world: World) => void): Promise<World> {
  const world = new World((it) => {
    it.finish = async () => ({ files: [grown('audio.m4a')], problem: null })
    setUp(it)
  }, JOB)
  await world.untilStatus('in_call_recording')
  await world.pass(5, 5)
  await world.command({ type: 'leave' })
  return world
}

test('a transcript is made when the recording is stored, and stored before the manifest', async () => {
  let storedBefore: string[] = []
  const world = await recorded((it) => {
    it.transcribe = async (folder) => {
      storedBefore = [...it.stored]
      writeFileSync(join(folder, 'transcription.json'), '{}')
    }
  })
  const { report, exitCode } = await world.end()
  expect(exitCode).toBe(0)
  expect(storedBefore).toEqual(['audio.m4a'])
  expect(world.stored).toEqual(['audio.m4a', 'transcription.json', 'manifest.json', 'events.jsonl'])
  expect(report.artifacts.map(({ name }) => name)).toContain('transcription.json')
  expect(report.transcribed_seconds).toBe(1)
  // The recording is stored by then, and the status is that of the recording still.
  const started = world.events.findIndex(({ type }) => type === 'transcription_started')
  expect(world.events[started]).toEqual({ type: 'transcription_started', provider: 'Default', seconds: 1 })
  expect(world.events.slice(0, started)).toContainEqual(expect.objectContaining({ type: 'artifact' }))
  expect(world.events.slice(started)).toContainEqual(expect.objectContaining({ status: 'completed' }))
})

test('a recording without sound begins no transcript', async () => {
  const world = await recorded((it) => {
    it.finish = async () => ({ files: [grown('video.mp4')], problem: null })
    it.transcribe = async () => {}
  })
  expect(await world.report()).toMatchObject({ status: 'completed', transcribed_seconds: null })
  expect(world.events.map(({ type }) => type)).not.toContain('transcription_started')
})

test('a live transcript starts with the recording, hears captions and pauses, and ends before files are made', async () => {
  const calls: string[] = []
  const { promise: closed, resolve: close } = Promise.withResolvers<void>()
  let time: RecordedTime | undefined
  const world = new World((it) => {
    it.finish = async () => ({ files: [grown('audio.m4a')], problem: null })
    it.liveTranscript = {
      start(_environment, recorded) {
        time = recorded
        calls.push('start')
      },
      takeCaption: (event) => void calls.push(event.type === 'caption' ? event.text : 'captions'),
      onSpeaker: () => {},
      takeVoice: () => {},
      pause: () => void calls.push('pause'),
      resume: () => void calls.push('resume'),
      close: () => {
        calls.push('close')
        return closed
      },
    }
    it.transcribe = async () => void calls.push('transcribe')
  }, JOB)
  await world.untilStatus('in_call_recording')
  const startedAt = world.clock.now()
  const speaking = { type: 'speaking', participantId: 'p1', source: 'csrc', confidence: 1 } as const
  world.emit({ type: 'participant_joined', participant: { id: 'p1', name: 'Ann' }, at: startedAt })
  world.emit({ ...speaking, isSpeaking: true, at: startedAt })
  await world.pass(2, 1)
  const row = { key: 'r', participantId: 'p1', name: 'Ann', isFinal: false } as const
  world.emit({ type: 'captions', areOn: true, at: startedAt })
  world.emit({ type: 'caption', ...row, text: 'hello', at: startedAt + 1000 })
  await world.command({ type: 'pause' })
  await world.command({ type: 'resume' })
  expect(time?.turns()[0]).toMatchObject({ person: { id: 1, name: 'Ann' }, start: expect.closeTo(0, 1) })
  expect(time?.person('p1', '')?.name).toBe('Ann')
  expect(time?.person(null, 'Ben')).toBeNull()
  await world.command({ type: 'leave' })
  setTimeout(close, 5)
  const { exitCode } = await world.end()
  expect(exitCode).toBe(0)
  expect(calls).toEqual(['start', 'captions', 'hello', 'pause', 'resume', 'close', 'transcribe'])
})

test('a service that fails is TRANSCRIPTION_FAILED, and the recording is complete', async () => {
  const world = await recorded((it) => {
    it.transcribe = async () => {
      throw new Error('speech.example answered with status 500')
    }
  })
  const { report, exitCode } = await world.end()
  expect(report).toMatchObject({ status: 'failed', error_code: 'TRANSCRIPTION_FAILED' })
  expect(report.error_message).toContain('status 500')
  expect(report.transcribed_seconds).toBeNull()
  expect(exitCode).toBe(4)
  expect(world.stored).toEqual(['audio.m4a', 'manifest.json', 'events.jsonl'])
})

test('asked to stop again while it is made, the bot leaves the transcript and keeps the recording', async () => {
  const world = await recorded((it) => {
    it.transcribe = (_folder, signal) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
        setTimeout(() => it.stop('interrupt'), 10)
      })
  })
  const { report } = await world.end()
  expect(report).toMatchObject({ error_code: 'TRANSCRIPTION_FAILED' })
  expect(report.error_message).toContain('asked to stop')
  expect(world.stored).toContain('manifest.json')
})

test('its sound is read back from where it is stored', async () => {
  const read: string[] = []
  const world = await recorded((it) => {
    it.fetch = async (name) => void read.push(name)
    it.transcribe = async () => void read.push('transcribed')
  })
  expect((await world.end()).exitCode).toBe(0)
  expect(read).toEqual(['audio.m4a', 'transcribed'])
})

test('sound that cannot be read back is TRANSCRIPTION_FAILED, and the recording is complete', async () => {
  const world = await recorded((it) => {
    it.fetch = () => Promise.reject(new Error('S3 answered with status 503'))
    it.transcribe = async () => {}
  })
  const { report } = await world.end()
  expect(report).toMatchObject({ error_code: 'TRANSCRIPTION_FAILED' })
  expect(report.error_message).toContain('status 503')
  expect(world.stored).toContain('audio.m4a')
})
