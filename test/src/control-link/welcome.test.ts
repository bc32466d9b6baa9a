/** When a bot counts as welcomed: its control plane can still order it to leave before it joins. */
import { expect, onTestFinished, test } from 'vitest'
import { silentLogger } from '../../../core/logger.ts'
import { openControlLink } from '../../../src/control-link/client.ts'
import { createLocalControlPlane } from '../../../src/control-link/local.ts'
import { fakeUsage } from '../../fakes/usage.ts'
import { startScriptedPlane } from './scripted-plane.ts'
import { BOT_ID, FAST, notice, TOKEN, temporaryFolder, until } from './support.ts'

/** A link whose steps are noted in order. */
async function openLink(url: string, acceptMs = FAST.acceptMs) {
  const steps: string[] = []
  const folder = await temporaryFolder()
  const timing = { ...FAST, acceptMs }
  const link = openControlLink({
    usage: fakeUsage(),
    url,
    botId: BOT_ID,
    folder,
    logger: silentLogger,
    token: TOKEN,
    timing,
  })
  onTestFinished(() => link.close())
  link.onCommand(async (command) => {
    steps.push(command.type)
    return { ok: true }
  })
  link.report(notice('The bot is here'))
  void link.whenWelcomed().then(() => steps.push('welcomed'))
  return { link, steps }
}

const leave = { type: 'command', id: 'c-1', command: { type: 'leave' } }

test('a bot is welcomed when the control plane has stored what it reported', async () => {
  const plane = await startScriptedPlane()
  let acknowledge = () => {}
  plane.onEvent = (link, { seq }) => {
    acknowledge = () => link.send({ type: 'ack', seq })
  }
  const { steps } = await openLink(plane.url)
  await until(() => expect(plane.said('event')).toHaveLength(1))
  expect(steps).toEqual([])
  acknowledge()
  await until(() => expect(steps).toEqual(['welcomed']))
})

test('a command sent before that acknowledgement arrives before the bot counts as welcomed', async () => {
  const plane = await startScriptedPlane()
  plane.onEvent = (link, { seq }) => {
    link.send(leave)
    link.send({ type: 'ack', seq })
  }
  const { steps } = await openLink(plane.url)
  await until(() => expect(steps).toEqual(['leave', 'welcomed']))
})

test('a command sent right behind the welcome arrives before the bot counts as welcomed', async () => {
  const plane = await startScriptedPlane()
  plane.onHello = (link) => {
    link.send({ type: 'welcome', acknowledged: 0 })
    link.send(leave)
  }
  const { steps } = await openLink(plane.url)
  await until(() => expect(steps).toEqual(['leave', 'welcomed']))
})

test('a control plane that acknowledges nothing for a while has still welcomed the bot', async () => {
  const plane = await startScriptedPlane()
  plane.onEvent = () => {}
  const { steps } = await openLink(plane.url, 20)
  await until(() => expect(steps).toEqual(['welcomed']))
})

test('a welcome on a later connection counts too', async () => {
  const plane = await startScriptedPlane()
  plane.refuse = () => (plane.requests.length < 3 ? 'HTTP/1.1 503 Busy\r\n\r\n' : false)
  const { steps } = await openLink(plane.url)
  await until(() => expect(steps).toEqual(['welcomed']))
  expect(plane.requests).toHaveLength(3)
})

test('a bot without a control plane waits for no welcome', async () => {
  const local = createLocalControlPlane({ botId: BOT_ID, folder: await temporaryFolder(), logger: silentLogger })
  onTestFinished(() => local.close())
  await local.whenWelcomed()
})
