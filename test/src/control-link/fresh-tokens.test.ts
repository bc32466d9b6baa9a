/** A bot asks its control plane for tokens over the link, which may break at any time. */
import { expect, onTestFinished, test } from 'vitest'
import { startScriptedPlane } from './scripted-plane.ts'
import { openLink } from './support.ts'

const LONG = { timeout: 20_000, interval: 10 }

test('each request gets the answer with its id', async () => {
  const plane = await startScriptedPlane()
  const { link } = await openLink({ url: plane.url })
  await link.whenWelcomed()
  const [first, second] = [link.askForToken(), link.askForToken()]
  await expect.poll(() => plane.said('token_request').length, LONG).toBe(2)
  const [one, two] = plane.said('token_request')
  plane.links[0]!.send({ type: 'token', id: 'of-nobody', token: 'obf.0' })
  plane.links[0]!.send({ type: 'token', id: two!.id, token: 'obf.2' })
  plane.links[0]!.send({ type: 'token', id: one!.id, code: 'CONF_OBF_TOKEN_ERROR', message: 'Gone.', can_retry: true })
  expect(await second).toMatchObject({ token: 'obf.2' })
  expect(await first).toMatchObject({ code: 'CONF_OBF_TOKEN_ERROR', message: 'Gone.', can_retry: true })
  expect(plane.misfits).toEqual([])
})

test('a link that breaks ends the requests under way, and the next one works', async () => {
  const plane = await startScriptedPlane()
  const { link } = await openLink({ url: plane.url })
  await link.whenWelcomed()
  const asked = link.askForToken()
  const failed = expect(asked).rejects.toThrow('broke')
  await expect.poll(() => plane.said('token_request').length, LONG).toBe(1)
  plane.links[0]!.socket.terminate()
  await failed
  const answering = setInterval(() => {
    for (const next of plane.links.slice(1))
      for (const said of next.said)
        if (said.type === 'token_request') next.send({ type: 'token', id: said.id, token: 'obf.2' })
  }, 10)
  onTestFinished(() => clearInterval(answering))
  // Until the next link is welcomed no control plane can be asked.
  const next = () =>
    link.askForToken().then(
      ({ token }) => token,
      () => null,
    )
  await expect.poll(next, LONG).toBe('obf.2')
})

test('without a link the request fails at once', async () => {
  const plane = await startScriptedPlane()
  plane.refuse = () => 'HTTP/1.1 503 Service Unavailable\r\n\r\n'
  const { link } = await openLink({ url: plane.url })
  await expect(link.askForToken()).rejects.toThrow('is down')
})
