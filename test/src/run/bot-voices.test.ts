/** Participant tracks in a worker run: its timeline names them, and they are stored with the other files. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { BotError } from '../../../packages/core/errors.ts'
import type { ParticipantTracks } from '../../../packages/core/ports.ts'
import { ann, recording } from './recording-bot.ts'

async function record(finish: ParticipantTracks['finish']) {
  const world = await recording({ participantTracks: { write: () => {}, finish } })
  world.speaks(ann.id, true)
  await world.pass(8, 1)
  await world.command({ type: 'leave' })
  const { exitCode } = await world.end()
  return { world, exitCode }
}

test('voices are named by who they are and stored', async () => {
  const named: unknown[] = []
  const { world, exitCode } = await record(async (personOf) => {
    named.push(personOf(ann.id)?.name, personOf('p2'))
    return [{ name: 'audio/001-ann.ogg', path: join('nowhere', '001-ann.ogg'), bytes: 3 }]
  })
  expect(named).toEqual(['Ann', null])
  expect(world.stored).toContain('audio/001-ann.ogg')
  expect(world.notices).toEqual([])
  expect(exitCode).toBe(0)
})

test('a participant spoke and no participant track was captured: a notice reports it', async () => {
  const { world } = await record(async () => [])
  expect(world.notices.join()).toContain('one mixed audio stream')
})

test('voices that cannot be finished cost the recording nothing', async () => {
  const { world, exitCode } = await record(() => Promise.reject(new Error('the disk is full')))
  expect(world.stored.length).toBeGreaterThan(0)
  expect(exitCode).toBe(0)
})

test('an audio track and a turn keep their owner when the page is reloaded and when the browser is replaced', async () => {
  const written: string[] = []
  const world = await recording({
    participantTracks: { write: ({ participantId }) => void written.push(participantId), finish: async () => [] },
  })
  const says = (participantId: string) => {
    world.joins({ id: participantId, name: ann.name })
    world.speaks(participantId, true)
    world.voice({ participantId, at: world.clock.now(), opus: Buffer.alloc(3) })
  }
  says(ann.id)
  world.emit({ type: 'new_document', lastAt: world.clock.now() - 500 })
  says('ann of the new document')
  await world.pass(2, 2)
  world.emit({ type: 'failed', error: new BotError('INTERNAL_ERROR', 'The browser broke.', { canRetry: true }) })
  await world.clock.advance(3_000)
  says('ann of the new browser')
  await world.pass(12, 1)
  world.stop('command')
  const report = await world.report()
  expect(written).toEqual([ann.id, ann.id, ann.id])
  expect(report.participants.map(({ name }) => name)).toEqual(['Ann', 'Ben'])
  const turns = world.events.flatMap((event) => (event.type === 'speaker' ? [event] : []))
  const marks = turns.map(({ participant, is_speaking }) => `${participant.name} ${is_speaking ? 'speaks' : 'stops'}`)
  expect(marks.join()).toBe('Ann speaks,Ann stops,Ann speaks,Ann stops,Ann speaks')
})
