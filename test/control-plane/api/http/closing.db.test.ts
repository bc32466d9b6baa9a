/** The end of the API waits for requests, and for nothing else. */
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { expect, test } from 'vitest'
import { openWorld } from '../../world.ts'

test('a connection that never sent a request does not keep the API from closing', async () => {
  const world = await openWorld({ api: {} })
  await world.app.listen({ host: '127.0.0.1', port: 0 })
  const socket = connect((world.app.server.address() as AddressInfo).port, '127.0.0.1')
  await once(world.app.server, 'connection')
  const ended = once(socket, 'close')
  socket.resume()
  await ended
  expect(socket.destroyed).toBe(true)
})
