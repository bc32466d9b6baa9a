import { setTimeout as sleep } from 'node:timers/promises'
import type { Io } from '@standin/wire/process/command-io.ts'
import { loadMock } from './mock-package.ts'

/** How long the page says that the meeting is over; a bot has left long before. */
const AFTERWARDS_MS = 20_000

/**
 * `standin demo-meeting`: opens one mock Google Meet meeting with this code, for one bot that another process starts.
 * Writes a line of JSON with the link and the host mappings of its bot, plays the script of the demo, and ends. Throws
 * MockIsMissing.
 */
export async function demoMeeting(code: string, io: Io): Promise<number> {
  const { DEMO_PEOPLE, runDemoScript, startMock } = await loadMock()
  const server = await startMock('meet', { hostPort: null })
  const over = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => over.abort())
  try {
    const meeting = server.open('waiting-room', { code, people: [...DEMO_PEOPLE] })
    const mapHosts = server.hosts.map((host) => `${host}=${server.address}`)
    io.output.write(`${JSON.stringify({ url: meeting.url, map_hosts: mapHosts })}\n`)
    await runDemoScript(meeting, over.signal)
    await sleep(AFTERWARDS_MS, undefined, { signal: over.signal })
  } catch (error) {
    if (!over.signal.aborted) throw error
  } finally {
    await server.close()
  }
  return 0
}
