import { expect, test } from 'vitest'
import { type Device, DeviceToggles } from '../../../../platforms/shared/join/device-toggles.ts'
import type { DeviceState } from '../../../../platforms/shared/page/types.ts'
import { HandClock } from '../../../fakes/clock.ts'
import { ScriptedPage } from '../scripted-page.ts'

type State = 'on' | 'off'

function togglesFor(microphone: State, camera: State = 'off') {
  const clock = new HandClock()
  const scripted = new ScriptedPage(clock)
  const toggles = new DeviceToggles(scripted.asPage(), { microphone, camera })
  const shown: Record<Device, DeviceState> = { microphone, camera }
  /** One look of the driver, a second after the one before. */
  const look = async () => {
    const wasMuted = toggles.wasMuted(shown)
    await toggles.settle({ ...shown })
    await clock.advance(1000)
    return wasMuted
  }
  return { clock, toggles, shown, look, pressed: scripted.pressed }
}

test('a bot whose host mutes it notices it once, and unmutes itself only once it wants to speak', async () => {
  const { toggles, shown, look, pressed } = togglesFor('on')
  await look()
  shown.microphone = 'off'
  expect([await look(), await look(), await look()]).toEqual([true, false, false])
  expect(pressed).toEqual([])
  toggles.want('microphone', 'on')
  await look()
  expect(pressed).toEqual(['microphone'])
})

test('a host mutes a bot that has turned its microphone on itself, and the bot stays muted', async () => {
  const { toggles, shown, look, pressed } = togglesFor('off')
  toggles.want('microphone', 'on')
  await look()
  shown.microphone = 'on'
  await look()
  shown.microphone = 'off'
  expect([await look(), await look()]).toEqual([true, false])
  expect(pressed).toEqual(['microphone'])
})

test('a press on top of another one is undone by the bot, and was no muting by the host', async () => {
  const { clock, toggles, shown, look, pressed } = togglesFor('off')
  toggles.want('microphone', 'on')
  const old = { ...shown }
  for (let count = 0; count < 2; count++) {
    await toggles.settle(old)
    await clock.advance(1000)
  }
  expect(pressed).toHaveLength(1)
  // A busy page shows the first press late.
  await look()
  shown.microphone = 'on'
  await look()
  shown.microphone = 'off'
  expect(await look()).toBe(false)
  expect(pressed).toHaveLength(3)
})

test('a microphone that the bot turned off itself was not muted by the host', async () => {
  const { toggles, shown, look, pressed } = togglesFor('on')
  await look()
  toggles.want('microphone', 'off')
  await look()
  shown.microphone = 'off'
  expect(await look()).toBe(false)
  expect(pressed).toEqual(['microphone'])
})

test('the bot may join only while each device that must be off is off', () => {
  const { toggles } = togglesFor('off')
  expect(toggles.mayJoin({ microphone: 'on', camera: 'off' })).toBe(false)
  expect(toggles.mayJoin({ microphone: 'off', camera: 'on' })).toBe(false)
  expect(toggles.mayJoin({ microphone: 'off', camera: 'absent' })).toBe(true)
  expect(togglesFor('on', 'on').toggles.mayJoin({ microphone: 'on', camera: 'on' })).toBe(true)
})

test('presses that change nothing stop after five, and begin again after 20 s', async () => {
  const { clock, shown, look, pressed } = togglesFor('off')
  shown.camera = 'on'
  for (let second = 0; second < 10; second++) await look()
  expect(pressed).toHaveLength(5)
  await clock.advance(11_000)
  await look()
  expect(pressed).toHaveLength(6)
})
