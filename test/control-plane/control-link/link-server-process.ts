/** A server of the control link in a separate process, for tests that kill it. Prints its port. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { leaseAccount, takeAccountReport } from '@standin/control-plane/bots/actions/lease-account.ts'
import { createLinkServer } from '@standin/control-plane/control-link/link-server.ts'
import { createSeals, parseSealKeys } from '@standin/control-plane/platform/secrets/seals.ts'
import { openDatabase } from '@standin/control-plane/store/database.ts'

const url = process.env.TEST_DATABASE
if (!url) throw new Error('TEST_DATABASE is not set')

const database = openDatabase({ url, role: 'links', connections: 4 })
const log = { info() {}, warn() {}, error: (fields: object, message: string) => console.error(message, fields) }
const keys = process.env.TEST_SEAL_KEYS
const accounts = keys && { database, seals: createSeals(parseSealKeys(keys)), log }

const links = createLinkServer({
  ...{ database, log },
  ...(accounts && {
    answers: {
      account_request: (owner) => leaseAccount(accounts, owner),
      account_report_request: (owner, report) => takeAccountReport(accounts, owner, report),
    },
  }),
})
const http = createServer()
http.on('upgrade', (request, socket, head) => links.handleUpgrade(request, socket, head))
http.listen(Number(process.env.TEST_PORT ?? 0), '127.0.0.1', () => {
  console.log(`port ${(http.address() as AddressInfo).port}`)
})
