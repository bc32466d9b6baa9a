/** A server of the control link in a separate process, for tests that kill it. Prints its port. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createLinkServer } from '@standin/control-plane/control-link/link-server.ts'
import { openDatabase } from '@standin/control-plane/store/database.ts'

const url = process.env.TEST_DATABASE
if (!url) throw new Error('TEST_DATABASE is not set')

const links = createLinkServer({
  database: openDatabase({ url, role: 'links', connections: 4 }),
  log: { info() {}, warn() {}, error: (fields, message) => console.error(message, fields) },
})
const http = createServer()
http.on('upgrade', (request, socket, head) => links.handleUpgrade(request, socket, head))
http.listen(Number(process.env.TEST_PORT ?? 0), '127.0.0.1', () => {
  console.log(`port ${(http.address() as AddressInfo).port}`)
})
