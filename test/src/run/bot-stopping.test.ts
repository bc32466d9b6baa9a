/** A bot that is asked to stop. */
import { describe, expect, test } from 'vitest'
import { untilStopped, World } from '../../fakes/world.ts'
import { recording } from './recording-bot.ts'

describe('stopping', () => {
  const waits: [string, (world: World) => void][] = [
    [
      'while the page loads',
      (it) => {
        it.join = untilStopped
      },
    ],
    [
      'in the waiting room',
      (it) => {
        it.join = async () => 'waiting_room'
        it.waitForAdmission = untilStopped
      },
    ],
  ]
  test.each(waits)('%s leaves before recording, with exit code 0', async (_, setUp) => {
    const world = new World(setUp)
    await world.clock.advance(1000)
    expect(await world.command({ type: 'leave' })).toEqual({ ok: true })
    const { report, exitCode } = await world.end()
    expect(report).toMatchObject({ status: 'failed', error_code: 'EXITING_MEETING_BEFORE_RECORD' })
    expect(exitCode).toBe(0)
    expect(world.calls).toContain('leave')
  })

  test('SIGTERM while recording finishes and stores, and says SIGTERM', async () => {
    const world = await recording()
    world.stop('terminate')
    const { report, exitCode } = await world.end()
    expect(report).toMatchObject({ status: 'failed', error_code: 'SIGTERM' })
    expect(exitCode).toBe(4)
    expect(world.stored).toContain('video.mp4')
  })

  test('an interrupt while recording is a normal end', async () => {
    const world = await recording()
    world.stop('interrupt')
    expect(await world.report()).toMatchObject({ status: 'completed', end_code: 'API_REQUEST' })
  })

  test('a second interrupt does not wait for a page that will not let go', async () => {
    const world = await recording((it) => {
      it.leave = () => new Promise(() => {})
    })
    world.stop('interrupt')
    await world.clock.advance(100)
    world.stop('interrupt', true)
    await world.clock.advance(100)
    expect(world.calls).toContain('close meeting')
    expect(await world.report()).toMatchObject({ status: 'completed' })
    expect(world.stored).toContain('video.mp4')
  })

  test('an order to leave at once closes the page without the steps of leaving', async () => {
    const world = await recording()
    world.stop('interrupt', true)
    expect(await world.report()).toMatchObject({ status: 'completed' })
    expect(world.calls).toContain('close meeting')
    expect(world.calls).not.toContain('leave')
  })

  test('leaving has a deadline, so that it cannot eat the storing', async () => {
    const world = await recording((it) => {
      it.leave = () => new Promise(() => {})
    })
    world.stop('command')
    expect(await world.report()).toMatchObject({ status: 'completed' })
  })
})
