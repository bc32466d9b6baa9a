/** A bot ends with a reason when its browser, its storage or its own code breaks. */
import { describe, expect, test } from 'vitest'
import { BotError } from '../../../core/errors.ts'
import { StorageError } from '../../../storage/error.ts'
import { grown, World } from '../../fakes/world.ts'
import { recording } from './recording-bot.ts'

describe('things that break', () => {
  test('a browser that crashes while recording ends the run with a code and keeps the recording', async () => {
    const world = await recording()
    world.emit({ type: 'failed', error: new BotError('INTERNAL_ERROR', 'The browser is gone'), at: world.clock.now() })
    const { report, exitCode } = await world.end()
    expect(report).toMatchObject({
      status: 'failed',
      error_code: 'INTERNAL_ERROR',
      error_message: 'The browser is gone',
    })
    expect(exitCode).toBe(4)
    expect(world.stored).toContain('video.mp4')
    expect(world.calls).toContain('evidence')
  })

  test('a place that takes no more does the same', async () => {
    const world = await recording()
    world.emitRecorder({ type: 'failed', lost: 'place', error: new Error('the disk is full'), at: world.clock.now() })
    const { report, exitCode } = await world.end()
    expect(report).toMatchObject({ status: 'failed', error_message: 'the disk is full' })
    expect(exitCode).toBe(4)
  })

  test('a recording that cannot be stored is never called a success', async () => {
    const world = await recording((it) => {
      it.finish = async () => ({ files: [grown('audio.m4a')], problem: new Error('access denied') })
    })
    world.stop('command')
    const { report, exitCode } = await world.end()
    expect(report).toMatchObject({ status: 'failed', error_code: 'INTERNAL_ERROR' })
    expect(report.error_message).toContain('access denied')
    expect(exitCode).toBe(4)
    expect(report.artifacts.map(({ name }) => name)).toContain('audio.m4a')
    expect(world.stored).toContain('manifest.json')
  })

  test('final files that cannot be made are never called a success', async () => {
    const world = await recording((it) => {
      it.finish = () => Promise.reject(new Error('disk full'))
    })
    world.stop('command')
    expect(await world.report()).toMatchObject({ status: 'failed', error_code: 'INTERNAL_ERROR' })
  })

  test('a defect of ours is distinguished from an external failure', async () => {
    const world = new World((it) => {
      it.openMeeting = () => Promise.reject(new TypeError('undefined is not a function'))
    })
    const { report, exitCode } = await world.end()
    expect(exitCode).toBe(70)
    expect(report.error_code).toBe('INTERNAL_ERROR')
  })

  test('an uncaught error ends the run, and the recording is stored', async () => {
    const world = await recording()
    world.throwUncaught(new TypeError('undefined is not a function'))
    const { report, exitCode } = await world.end()
    expect(exitCode).toBe(70)
    expect(report).toMatchObject({ status: 'failed', error_code: 'INTERNAL_ERROR' })
    expect(world.stored).toContain('manifest.json')
    expect(world.calls).toContain('leave')
  })

  test('storage that cannot be written fails before the bot opens the meeting', async () => {
    const world = new World((it) => {
      it.prepareStorage = () => Promise.reject(new BotError('INTERNAL_ERROR', 'The folder cannot be written'))
    })
    const { exitCode } = await world.end()
    expect(exitCode).toBe(3)
    expect(world.calls).not.toContain('open meeting')
  })
})

test('a storage that the job names wrongly ends with the exit code of an invalid job, and with a report', async () => {
  const world = new World((world) => {
    world.prepareStorage = async () => {
      throw new StorageError('missing', 'There is no such bucket.')
    }
  })
  const { report, exitCode } = await world.end()
  expect(exitCode).toBe(2)
  expect(report).toMatchObject({ status: 'failed', error_message: 'There is no such bucket.' })
})

test('a storage that refuses the credentials or cannot be reached is no mistake of the job', async () => {
  for (const trouble of ['access', 'unreachable'] as const) {
    const world = new World((world) => {
      world.prepareStorage = () => Promise.reject(new StorageError(trouble, 'The server does not answer.'))
    })
    expect((await world.end()).exitCode).toBe(3)
  }
})

test('a participant that cannot be written does not affect the other files: the run is reported to its end', async () => {
  const world = new World()
  await world.untilStatus('in_call_recording')
  world.emit({ type: 'participant_joined', participant: { id: 'a', name: 'Ann' }, at: Number.NaN })
  world.emit({
    type: 'chat_message',
    message: { id: 'm', senderId: 'a', senderName: 'Ann', text: 'Hello', at: world.clock.now(), isOwn: false },
  })
  await world.pass(5, 1)
  world.stop('command')
  const { report, exitCode } = await world.end()
  expect(report).toMatchObject({ status: 'completed', participants: [{ name: 'Ann' }] })
  expect(world.events.filter(({ type }) => type === 'final_report')).toHaveLength(1)
  expect(world.statuses().at(-1)).toBe('completed')
  expect(world.stored).toContain('chat_messages.json')
  expect(world.stored).toContain('manifest.json')
  // A defect of ours is still told as one.
  expect(exitCode).toBe(70)
})
