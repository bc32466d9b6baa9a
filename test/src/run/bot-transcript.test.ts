/** Transcripts in a worker run: made after the recording is stored, and a failure never costs the recording. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { RecordedTime } from '../../../packages/core/ports.ts'
import { grown, World } from '../../fakes/world.ts'

const JOB = { transcription: { timeout: 60 } }
const finish = async () => ({ files: [grown('audio.m4a')], problem: null })

async function recorded(setUp: Partial<World>, timeout = 60): Promise<World> {
  const world = new World({ finish, ...setUp }, { transcription: { timeout } })
  await world.untilStatus('in_call_recording')
  await world.pass(5, 5)
  await world.command({ type: 'leave' })
  return world
}

test('a transcript is made when the recording is stored and read back, and stored before the manifest', async () => {
  const steps: string[] = []
  const world = await recorded({
    fetch: async (name) => void steps.push(`read ${name} of ${world.stored}`),
    async transcribe(folder) {
      steps.push('transcribed')
      writeFileSync(join(folder, 'transcription.json'), '{}')
    },
  })
  const { report, exitCode } = await world.end()
  expect(exitCode).toBe(0)
  expect(steps).toEqual(['read audio.m4a of audio.m4a', 'transcribed'])
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
  const world = await recorded({
    finish: async () => ({ files: [grown('video.mp4')], problem: null }),
    transcribe: async () => {},
  })
  expect(await world.report()).toMatchObject({ status: 'completed', transcribed_seconds: null })
  expect(world.events.map(({ type }) => type)).not.toContain('transcription_started')
})

test('a live transcript starts with the recording, hears captions and pauses, and ends before files are made', async () => {
  const calls: string[] = []
  const { promise: closed, resolve: close } = Promise.withResolvers<void>()
  let time: RecordedTime | undefined
  const liveTranscript: World['liveTranscript'] = {
    start(_environment, recorded) {
      time = recorded
      calls.push('start')
    },
    takeCaption: (event) => void calls.push(event.type === 'caption' ? event.text : 'captions'),
    onSpeaker: () => {},
    takeVoice: () => {},
    hearMixed: () => {},
    pause: () => void calls.push('pause'),
    resume: () => void calls.push('resume'),
    close() {
      calls.push('close')
      return closed
    },
  }
  const world = new World({ finish, liveTranscript, transcribe: async () => void calls.push('transcribe') }, JOB)
  await world.untilStatus('in_call_recording')
  const startedAt = world.clock.now()
  world.joins({ id: 'p1', name: 'Ann' })
  world.speaks('p1', true)
  await world.pass(2, 1)
  const row = { key: 'r', participantId: 'p1', name: 'Ann', isFinal: false } as const
  world.emit({ type: 'captions', areOn: true })
  world.emit({ type: 'caption', ...row, text: 'hello', at: startedAt + 1000 })
  await world.command({ type: 'pause' })
  await world.command({ type: 'resume' })
  expect(time?.turns()[0]).toMatchObject({ person: { id: 1, name: 'Ann' }, start: expect.closeTo(0, 1) })
  expect(time?.person('p1', '')?.name).toBe('Ann')
  expect(time?.person(null, 'Ben')).toBeNull()
  await world.command({ type: 'leave' })
  setTimeout(close, 5)
  expect((await world.end()).exitCode).toBe(0)
  expect(calls).toEqual(['start', 'captions', 'hello', 'pause', 'resume', 'close', 'transcribe'])
})

const failing = () => Promise.reject(new Error('speech.example answered with status 500'))
test.each<[string, Partial<World>]>([
  ['a service that fails', { transcribe: failing }],
  ['sound that cannot be read back', { fetch: failing, transcribe: async () => {} }],
])('%s is TRANSCRIPTION_FAILED, and the recording is complete', async (_, setUp) => {
  const world = await recorded(setUp)
  const report = await world.report()
  expect(report).toMatchObject({ error_code: 'TRANSCRIPTION_FAILED', transcribed_seconds: null })
  expect(report.error_message).toContain('status 500')
  expect(world.stored).toEqual(['audio.m4a', 'manifest.json', 'events.jsonl'])
})

test('a service that was waited for until the time was over is named', async () => {
  const busy = Object.assign(new Error('speech.example answered with status 429'), { name: 'ProviderError' })
  const transcribe: World['transcribe'] = (_folder, signal) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(busy)))
  const report = await (await recorded({ transcribe }, 1)).report()
  expect(report.error_message).toContain('It took longer than 1 s. speech.example answered with status 429')
})

test('asked to stop again while it is made, the bot leaves the transcript and keeps the recording', async () => {
  const world = await recorded({
    transcribe: (_folder, signal) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
        setTimeout(() => world.stop('interrupt'), 10)
      }),
  })
  const report = await world.report()
  expect(report).toMatchObject({ error_code: 'TRANSCRIPTION_FAILED' })
  expect(report.error_message).toContain('asked to stop')
  expect(world.stored).toContain('manifest.json')
})
