/** Participant tracks in a worker run: its timeline names them, and they are stored with the other files. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ParticipantTracks } from '../../../core/ports.ts'
import { World } from '../../fakes/world.ts'

async function record(finish: ParticipantTracks['finish']) {
  const world = new World((it) => {
    it.participantTracks = { write: () => {}, finish }
  })
  await world.untilStatus('in_call_recording')
  const at = world.clock.now()
  world.emit({ type: 'participant_joined', participant: { id: 'p1', name: 'Ann' }, at })
  world.emit({ type: 'speaking', participantId: 'p1', isSpeaking: true, source: 'csrc', confidence: 1, at })
  await world.pass(8, 1)
  await world.command({ type: 'leave' })
  const { exitCode } = await world.end()
  const notices = world.events.flatMap((event) => (event.type === 'notice' ? [event.message] : []))
  return { world, exitCode, notices }
}

test('voices are named by who they are and stored', async () => {
  const named: unknown[] = []
  const { world, exitCode, notices } = await record(async (personOf) => {
    named.push(personOf('p1')?.name, personOf('p2'))
    return [{ name: 'audio/001-ann.ogg', path: join('nowhere', '001-ann.ogg'), bytes: 3 }]
  })
  expect(named).toEqual(['Ann', null])
  expect(world.stored).toContain('audio/001-ann.ogg')
  expect(notices).toEqual([])
  expect(exitCode).toBe(0)
})

test('a participant spoke and no participant track was captured: a notice reports it', async () => {
  const { notices } = await record(async () => [])
  expect(notices.join()).toContain('one mixed audio stream')
})

test('voices that cannot be finished cost the recording nothing', async () => {
  const { world, exitCode } = await record(async () => {
    throw new Error('the disk is full')
  })
  expect(world.stored.length).toBeGreaterThan(0)
  expect(exitCode).toBe(0)
})
