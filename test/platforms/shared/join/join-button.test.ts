import { expect, test } from 'vitest'
import { silentLogger } from '../../../../packages/core/logger.ts'
import { JoinButton } from '../../../../platforms/shared/join/join-button.ts'
import { REAL_WAITS } from '../../../../platforms/shared/waits.ts'
import { HandClock } from '../../../fakes/clock.ts'

const READY = { label: 'Join now', isEnabled: true }

function buttonOf() {
  const clock = new HandClock()
  const pressed: string[] = []
  const gate = { isOpen: true }
  const button = new JoinButton({
    clock,
    waits: { ...REAL_WAITS, joinClickMs: 1000, joinClicks: 2 },
    logger: silentLogger,
    gate,
    wakePointer: async () => {},
    press: async (name) => pressed.push(name) > 0,
  })
  return { button, gate, clock, presses: () => pressed.length }
}

test('is pressed once in its time, and only where it can be', async () => {
  const { button, presses, clock } = buttonOf()
  await button.press({ ...READY, isEnabled: false }, '')
  await button.press(null, '')
  expect([presses(), button.wasPressed]).toEqual([0, false])
  await button.press(READY, '')
  await button.press(READY, '')
  expect([presses(), button.wasPressed]).toEqual([1, true])
  await clock.advance(1000)
  await button.press(READY, '')
  expect(presses()).toBe(2)
})

test('is not pressed before the bot may ask, which is no press that failed', async () => {
  const { button, gate, presses } = buttonOf()
  gate.isOpen = false
  for (let look = 0; look < 10; look++) await button.press(READY, '')
  expect([presses(), button.wasPressed]).toEqual([0, false])
  gate.isOpen = true
  await button.press(READY, '')
  expect(presses()).toBe(1)
})

test('that does nothing is named, with what else is known; another attempt may help', async () => {
  const { button, clock } = buttonOf()
  for (let press = 0; press < 2; press++) {
    await button.press(READY, '')
    await clock.advance(1000)
  }
  const failure = button.press(READY, ' The page is Dutch.')
  await expect(failure).rejects.toMatchObject({ code: 'CANNOT_JOIN_MEETING', canRetry: true })
  await expect(failure).rejects.toThrow('The button "Join now" was pressed 2 times without effect. The page is Dutch.')
})

test('a press that went nowhere is not waited for', async () => {
  const { button, presses } = buttonOf()
  await button.press(READY, '')
  button.forgetPress()
  await button.press(READY, '')
  expect(presses()).toBe(2)
})

test('a page that never came to a decision says what it lacked', async () => {
  const { button } = buttonOf()
  expect(button.timeOut(null, '').message).toContain('neither a name box nor a button')
  expect(button.timeOut({ ...READY, isEnabled: false }, '').message).toContain('"Join now" stayed disabled')
  await button.press(READY, '')
  expect(button.timeOut(READY, '').message).toContain('no decision after the request')
})
