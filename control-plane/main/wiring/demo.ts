/** The built-in mock meeting of the greeting: served by a separate process for each bot that is sent there. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { systemClock, within } from '@standin/wire/time/deadline.ts'
import type { Log } from '../../platform/ports.ts'
import { standinCommand } from './installed-file.ts'

const CODE = 'dem-omee-tin'
export const DEMO_LINK = `https://meet.google.com/${CODE}`
/** Until the mock meeting says where it is. */
const START_MS = 20_000

/**
 * Starts a mock meeting for one bot, and resolves with its `host=ip:port` mappings. Only bots of the demo's link get them, so
 * that all others reach the real platform. The meeting continues without the service, as its bot does, and ends by itself.
 */
export async function startDemoMeeting(
  environment: Readonly<Record<string, string | undefined>>,
  log: Log,
): Promise<string[]> {
  const [program = '', ...words] = standinCommand('demo-meeting')
  const meeting = spawn(program, [...words, CODE], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: environment.PATH, HOME: environment.HOME },
  })
  const failed = new Promise<never>((_, reject) => {
    meeting.once('error', reject)
    meeting.once('exit', (code) => reject(new Error(`it ended with code ${code}`)))
  })
  try {
    const lines = createInterface({ input: meeting.stdout })
    const line = new Promise<string>((resolve) => lines.once('line', resolve))
    const late = () => new Error('it did not start in time')
    const first = await within(systemClock, START_MS, Promise.race([line, failed]), late)
    const { map_hosts: mapHosts } = JSON.parse(first) as { map_hosts: string[] }
    log.info({ pid: meeting.pid }, 'Mock meeting started for a bot')
    return mapHosts
  } catch (error) {
    meeting.kill('SIGKILL')
    throw new Error(`The mock meeting could not be started: ${(error as Error).message}`, { cause: error })
  } finally {
    failed.catch(() => {})
    meeting.unref()
    meeting.stdout.destroy()
  }
}
