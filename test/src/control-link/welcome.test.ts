/** When a bot counts as welcomed: its control plane can still order it to leave before it joins. */

import { expect, onTestFinished, test } from 'vitest'
import { silentLogger } from '../../../packages/core/logger.ts'
import { createLocalControlPlane } from '../../../src/control-link/local.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'
import { startScriptedPlane } from './scripted-plane.ts'
import { BOT_ID, notice, openLink, until } from './support.ts'

/** The steps of a link, in order. */
async function stepsOf(url: string, timing = {}) {
  const steps: string[] = []
  const { link } = await openLink({ url, timing })
  link.onCommand(async (command) => {
    steps.push(command.type)
    return { ok: true }
  })
  link.report(notice('The bot is here'))
  void link.whenWelcomed().then(() => steps.push('welcomed'))
  return steps
}

const leave = { type: 'command', id: 'c-1', command: { type: 'leave' } }

test('a bot is welcomed when the control plane has stored what it reported', async () => {
  const plane = await startScriptedPlane()
  plane.onEvent = () => {}
  const steps = await stepsOf(plane.url)
  await until(() => expect(plane.said('event')).toHaveLength(1))
  expect(steps).toEqual([])
  plane.links[0]!.send({ type: 'ack', seq: 1 })
  await until(() => expect(steps).toEqual(['welcomed']))
})

test('a command sent before that acknowledgement arrives before the bot counts as welcomed', async () => {
  const plane = await startScriptedPlane()
  plane.onEvent = (link, { seq }) => {
    link.send(leave)
    link.send({ type: 'ack', seq })
  }
  const steps = await stepsOf(plane.url)
  await until(() => expect(steps).toEqual(['leave', 'welcomed']))
})

test('a command sent right behind the welcome arrives before the bot counts as welcomed', async () => {
  const plane = await startScriptedPlane()
  plane.onHello = (link) => {
    link.send({ type: 'welcome', acknowledged: 0 })
    link.send(leave)
  }
  const steps = await stepsOf(plane.url)
  await until(() => expect(steps).toEqual(['leave', 'welcomed']))
})

test('a control plane that acknowledges nothing for a while has still welcomed the bot', async () => {
  const plane = await startScriptedPlane()
  plane.onEvent = () => {}
  const steps = await stepsOf(plane.url, { acceptMs: 20 })
  await until(() => expect(steps).toEqual(['welcomed']))
})

test('a welcome on a later connection counts too', async () => {
  const plane = await startScriptedPlane()
  plane.refuse = () => (plane.requests.length < 3 ? 'HTTP/1.1 503 Busy\r\n\r\n' : false)
  const steps = await stepsOf(plane.url)
  await until(() => expect(steps).toEqual(['welcomed']))
  expect(plane.requests).toHaveLength(3)
})

test('a bot without a control plane waits for no welcome', async () => {
  const local = createLocalControlPlane({ botId: BOT_ID, folder: temporaryFolder(), logger: silentLogger })
  onTestFinished(() => local.close())
  await local.whenWelcomed()
})
