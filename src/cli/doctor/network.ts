import { lookup } from 'node:dns/promises'
import { connect } from 'node:net'
import { type Finding, fine, warning } from '@standin/wire/text/findings.ts'
import { systemClock, within } from '@standin/wire/time/deadline.ts'

export interface Network {
  resolve(host: string): Promise<string>
  /** Rejects when the server does not answer in time. */
  reach(address: string, port: number, deadlineMs: number): Promise<void>
}

/** Where real meetings are; the demo and every test do without a network. */
const MEETING_HOST = 'meet.google.com'
const HTTPS_PORT = 443
const DEADLINE_MS = 5_000

const inTime = <T>(work: Promise<T>) => within(systemClock, DEADLINE_MS, work, () => new Error('no answer in time'))

/** A machine without a network can still run the demo, so that this is never more than a warning. */
export async function checkNetwork(network: Network = realNetwork): Promise<Finding> {
  const part = 'Network'
  let address: string
  try {
    // A resolver without a server can take minutes to give up.
    address = await inTime(network.resolve(MEETING_HOST))
  } catch (error) {
    const cure = 'Real meetings need DNS; check /etc/resolv.conf. The demo does without.'
    return warning(part, `${MEETING_HOST} is not found: ${reason(error)}`, cure)
  }
  try {
    await inTime(network.reach(address, HTTPS_PORT, DEADLINE_MS))
    return fine(part, `${MEETING_HOST} answers`)
  } catch (error) {
    const cure = 'Real meetings need connections to port 443; check firewall and proxy. The demo does without.'
    return warning(part, `${MEETING_HOST} does not answer: ${reason(error)}`, cure)
  }
}

const realNetwork: Network = {
  resolve: async (host) => (await lookup(host)).address,
  reach: (address, port, deadlineMs) =>
    new Promise((resolve, reject) => {
      const socket = connect({ host: address, port, timeout: deadlineMs })
      socket.once('connect', () => resolve())
      socket.once('timeout', () => reject(new Error('no answer in time')))
      socket.once('error', reject)
      socket.once('close', () => reject(new Error('closed')))
      for (const end of ['connect', 'timeout']) socket.once(end, () => socket.destroy())
    }),
}

const reason = (error: unknown): string =>
  error instanceof Error ? ('code' in error && String(error.code)) || error.message : String(error)
