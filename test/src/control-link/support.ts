/** Shared by the tests of the control link: logs in memory, folders, events, and the example control plane. */

import type { BotEvent, NumberedEvent } from '@standin/wire/events.ts'
import { onTestFinished, vi } from 'vitest'
import type { LogFields, Logger, LogLevel } from '../../../packages/core/logger.ts'
import { type ControlLinkOptions, openControlLink } from '../../../src/control-link/client.ts'
import type { LinkTiming } from '../../../src/control-link/timing.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'
import { fakeUsage } from '../../fakes/usage.ts'

export const BOT_ID = '7c9e6679-7425-40de-944b-e07fc1f90ae7'
export const TOKEN = 'a-token-for-tests'

/** The same exchange at the pace of a test. */
export const FAST: LinkTiming = {
  heartbeatMs: 50,
  handshakeMs: 5_000,
  welcomeMs: 5_000,
  acceptMs: 5_000,
  pingMs: 50,
  silenceMs: 10_000,
  closeMs: 500,
  reconnectMinMs: 1,
  reconnectMaxMs: 4,
  settledMs: 60_000,
}

export interface MemoryLogger extends Logger {
  lines: { level: LogLevel; message: string; fields: LogFields }[]
  /** Messages of one level. */
  messages(level: LogLevel): string[]
}

export function memoryLogger(): MemoryLogger {
  const lines: MemoryLogger['lines'] = []
  const write =
    (level: LogLevel) =>
    (message: string, fields: LogFields = {}) => {
      lines.push({ level, message, fields })
    }
  const logger: MemoryLogger = {
    lines,
    messages: (level) => lines.filter((line) => line.level === level).map((line) => line.message),
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: () => logger,
  }
  return logger
}

type LinkOptions = Omit<Partial<ControlLinkOptions>, 'timing'> & { url: string; timing?: Partial<LinkTiming> }

/** A link of a bot with its own folder, at the pace of a test. */
export async function openLink(options: LinkOptions) {
  const folder = options.folder ?? temporaryFolder()
  const logger = memoryLogger()
  const timing = { ...FAST, ...options.timing }
  const link = openControlLink({ botId: BOT_ID, folder, logger, token: TOKEN, usage: fakeUsage(), ...options, timing })
  onTestFinished(() => link.close())
  /** Reports the notices 1 to this number. */
  const report = (last: number) => {
    for (const number of numbersUpTo(last)) link.report(notice(`Notice ${number}`))
  }
  return { link, folder, logger, report }
}

export function notice(message: string): BotEvent {
  return { type: 'notice', level: 'info', message }
}

export function numbersUpTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1)
}

export function seqs(events: NumberedEvent[]): number[] {
  return events.map((event) => event.seq)
}

/** The events of a file or of an answer, one a line. */
export function eventsOf(text: string): NumberedEvent[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** Waits for a condition as long as a loaded machine may need. */
export function until<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: 25_000, interval: 5 })
}

interface Example {
  url: string
  api: string
  close(): Promise<void>
}

/** The example of docs/, inside this process. */
export async function startExample(folder?: string, port = 0) {
  const place = new URL('../../../docs/examples/control-plane.mjs', import.meta.url).href
  const { startControlPlane } = (await import(place)) as {
    startControlPlane(options: { folder: string; token: string; port: number }): Promise<Example>
  }
  const plane = await startControlPlane({ folder: folder ?? temporaryFolder(), token: TOKEN, port })
  onTestFinished(() => plane.close())
  return { ...plane, ...clientOf(plane.api) }
}

/** Requests of an application to the example. */
export function clientOf(api: string, botId = BOT_ID) {
  const headers = { authorization: `Bearer ${TOKEN}` }
  const ask = (path: string, init: RequestInit = {}) => fetch(`${api}/bots${path}`, { headers, ...init })
  return {
    ask,
    events: async () => (await ask(`/${botId}/events`)).text(),
    command: async (command: unknown) => {
      const response = await ask(`/${botId}/commands`, { method: 'POST', body: JSON.stringify(command) })
      return response.json()
    },
  }
}
