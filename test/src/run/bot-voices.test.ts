/** Participant tracks in a worker run: its timeline names them, and they are stored with the other files. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { BotError } from '../../../core/errors.ts'
import type { ParticipantTracks } from '../../../core/ports.ts'
import { World } from '../../fakes/world.ts'
import { ann, recording } from './recording-bot.ts'

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

test('an audio track and a turn keep their owner when the page is reloaded and when the browser is replaced', async () => {
  const written: string[] = []
  const world = await recording((it) => {
    it.participantTracks = { write: ({ participantId }) => void written.push(participantId), finish: async () => [] }
  })
  const says = (participantId: string) => {
    const at = world.clock.now()
    world.emit({ type: 'participant_joined', participant: { id: participantId, name: ann.name }, at })
    world.emit({ type: 'speaking', participantId, isSpeaking: true, source: 'csrc', confidence: 1, at })
    world.voice({ participantId, at, opus: Buffer.alloc(3) })
  }
  says(ann.id)
  const reloadedAt = world.clock.now()
  world.emit({ type: 'new_document', lastAt: reloadedAt - 500, at: reloadedAt })
  says('ann of the new document')
  await world.pass(2, 2)
  const error = new BotError('INTERNAL_ERROR', 'The browser broke.', { canRetry: true })
  world.emit({ type: 'failed', error, at: world.clock.now() })
  await world.clock.advance(3_000)
  says('ann of the new browser')
  await world.pass(12, 1)
  world.stop('command')
  const report = await world.report()
  expect(written).toEqual([ann.id, ann.id, ann.id])
  expect(report.participants.map(({ name }) => name)).toEqual(['Ann', 'Ben'])
  const turns = world.events.flatMap((event) => (event.type === 'speaker' ? [event] : []))
  expect(turns.map(({ participant, is_speaking }) => [participant.name, is_speaking])).toEqual([
    ['Ann', true],
    ['Ann', false],
    ['Ann', true],
    ['Ann', false],
    ['Ann', true],
  ])
})
