/** Shared by the tests of the control link: logs in memory, folders, events, and the example control plane. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BotEvent, NumberedEvent } from '@standin/wire/events.ts'
import { onTestFinished, vi } from 'vitest'
import type { LogFields, Logger, LogLevel } from '../../../core/logger.ts'
import type { LinkTiming } from '../../../src/control-link/timing.ts'

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

/** A folder of the running test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'standin-link-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
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

/** Waits for a condition as long as a loaded machine may need. */
export function until<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: 25_000, interval: 5 })
}

export interface ExampleControlPlane {
  url: string
  api: string
  close(): Promise<void>
}

/** The example of docs/, inside this process. */
export async function startExample(folder: string, port = 0): Promise<ExampleControlPlane> {
  const place = new URL('../../../docs/examples/control-plane.mjs', import.meta.url).href
  const { startControlPlane } = (await import(place)) as {
    startControlPlane(options: { folder: string; token: string; port: number }): Promise<ExampleControlPlane>
  }
  const plane = await startControlPlane({ folder, token: TOKEN, port })
  onTestFinished(() => plane.close())
  return plane
}
