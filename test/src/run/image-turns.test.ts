import { describe, expect, test } from 'vitest'
import { imageAt } from '../../../src/run/image-turns.ts'
import { World } from '../../fakes/world.ts'

const images = (count: number) => Array.from({ length: count }, (_, n) => `data:image/png;base64,AA${n}=`)
const job = (count: number, config?: object) => ({ bot_image: images(count), bot_image_config: config as never })

describe('which picture is shown', () => {
  test('by itself, the next one every half a minute, in a circle', () => {
    const at = (seconds: number) => imageAt(job(3), 'in_call_recording', seconds)
    expect([0, 29, 30, 59, 60, 89, 90, 120].map(at)).toEqual([0, 0, 1, 1, 2, 2, 0, 1])
    expect(imageAt(job(2, { loop_mode: 'auto', image_duration: 10 }), 'recording_paused', 15)).toBe(1)
  })

  test.each([
    [2, [0, 1, 1, 1]],
    [3, [0, 1, 2, 1]],
    [5, [0, 1, 2, 1]],
  ])('by the status, of %i', (count, expected) => {
    const states = ['in_call_not_recording', 'in_call_recording', 'recording_paused', 'recording_resumed'] as const
    const config = { loop_mode: 'bot_status', image_duration: 30 }
    expect(states.map((state) => imageAt(job(count, config), state, 1000))).toEqual(expected)
  })

  test('of one, always that one', () => {
    expect(imageAt(job(1), 'in_call_recording', 1000)).toBe(0)
    expect(imageAt({ bot_image: 'https://img.example/1.png' }, 'in_call_recording', 1000)).toBe(0)
    expect(imageAt({}, 'in_call_recording', 1000)).toBe(0)
  })
})

describe('a bot', () => {
  const shown = (world: World) => world.calls.filter((call) => call.startsWith('image'))

  test('shows its pictures in turn, and each once', async () => {
    const world = new World({}, { bot_image: images(2), bot_image_config: { image_duration: 10 } })
    await world.untilStatus('in_call_recording')
    await world.pass(35, 2)
    expect(shown(world)).toEqual(['image 1', 'image 0', 'image 1'])
  })

  test('shows by them what it does', async () => {
    const config = { loop_mode: 'bot_status' }
    const world = new World({}, { bot_image: images(3), bot_image_config: config })
    await world.untilStatus('in_call_recording')
    await world.pass(2, 2)
    await world.command({ type: 'pause' })
    await world.pass(2, 2)
    await world.command({ type: 'resume' })
    await world.pass(2, 2)
    expect(shown(world)).toEqual(['image 1', 'image 2', 'image 1'])
  })

  test('of one picture sends no command to the driver', async () => {
    const world = new World({}, { bot_image: images(1) })
    await world.untilStatus('in_call_recording')
    await world.pass(60, 2)
    expect(shown(world)).toEqual([])
  })
})
