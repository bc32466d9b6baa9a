/** What the life does about a transcript: after the recording is stored, and never at its cost. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { World } from '../fakes/world.ts'

const JOB = { transcription: { timeout: 60 } }
const AUDIO = { name: 'audio.m4a', path: '/somewhere/audio.m4a', bytes: 10, durationSeconds: 1 }

async function recorded(setUp: (world: World) => void): Promise<World> {
  const world = new World((it) => {
    it.finish = async () => [AUDIO]
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
