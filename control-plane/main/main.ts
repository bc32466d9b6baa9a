/** The process of the service: its log, its greeting, and its end. */

import { styleText } from 'node:util'
import { LogSink } from '@standin/wire/process/log-sink.ts'
import closeWithGrace from 'close-with-grace'
import { pino, stdSerializers } from 'pino'
import { logFields } from '../platform/log-fields.ts'
import type { Log } from '../platform/ports.ts'
import { type ServiceConfig, unknownSettings } from './config/config.ts'
import { apiKeyFile } from './wiring/data-folder.ts'
import { commandFor, greeting } from './wiring/greeting.ts'

type StartService = typeof import('./wiring/service.ts').startService
/** Loads most of the program, which administration commands would wait for without need. */
const startService: StartService = async (...all) => (await import('./wiring/service.ts')).startService(...all)

/** From the signal to the end of the process; unfinished work is cut off then. */
const GRACE_MS = 10_000
const STANDARD_ERROR = 2

/** One JSON line for each fact; lines for people on a terminal. */
export function createServiceLog(
  level: ServiceConfig['logLevel'],
  destination: { write(line: string): unknown; isTTY?: boolean },
): Log {
  const isForPeople = destination instanceof LogSink ? process.stderr.isTTY : destination.isTTY
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      mixin: logFields,
      serializers: { err: stdSerializers.err },
    },
    isForPeople ? { write: (line) => destination.write(readableLine(line)) } : destination,
  )
  if (destination instanceof LogSink) destination.onRecovery = (lines) => log.warn({ lines }, 'Log lines were lost')
  return log
}

/** A JSON line of the log as a person reads it: time (UTC), level, sentence, fields. */
export function readableLine(line: string): string {
  const { time, level, msg, ...fields } = JSON.parse(line) as Record<string, unknown>
  const color = level === 'error' ? 'red' : level === 'warn' ? 'yellow' : 'gray'
  const shown = Object.entries(fields).map(([name, value]) => {
    const isWord = typeof value === 'string' && /^[\w./:@+-]+$/.test(value)
    return ` ${name}=${isWord ? value : JSON.stringify(value)}`
  })
  const paint = (style: 'red' | 'yellow' | 'gray', text: string) => styleText(style, text, { stream: process.stderr })
  const head = `${paint('gray', String(time).slice(11, 19))} ${paint(color, String(level).padEnd(5))}`
  return `${head} ${String(msg).replace(/\p{Cc}/gu, ' ')}${paint('gray', shown.join(''))}\n`
}

/** Runs until a signal asks it to end. Rejects if the service cannot be started. */
export async function runService(
  config: ServiceConfig,
  environment: Readonly<Record<string, string | undefined>>,
  out: NodeJS.WritableStream,
): Promise<void> {
  const sink = new LogSink(STANDARD_ERROR)
  const log = createServiceLog(config.logLevel, sink)
  for (const sentence of unknownSettings(environment)) log.warn({}, sentence)
  const started = startService(config, environment, log, sink)
  // From the first moment on: a signal during the start waits for it, and then everything is closed.
  const grace = closeWithGrace(
    {
      delay: GRACE_MS,
      logger: false,
      onTimeout: () => log.error({ seconds: GRACE_MS / 1000 }, 'The service did not close in time and is cut off'),
    },
    async ({ signal, err }) => {
      if (err) log.error({ error: err.stack ?? String(err) }, 'Uncaught error')
      log.info({ signal }, 'Service closing')
      const service = await started.catch(() => null)
      await service?.close()
      log.info({}, 'Service closed')
    },
  )
  try {
    const service = await started
    const { address, publicUrl } = service
    const isLog = !('isTTY' in out && out.isTTY)
    // A log has one form, and neither a key nor a link that signs in.
    const forReaders = isLog &&
      config.roles.has('api') && {
        public_url: publicUrl,
        api_key_file: apiKeyFile(config.dataFolder),
        sign_in: `${commandFor(environment)} service people link`,
      }
    log.info({ address, roles: [...config.roles], ...forReaders }, 'Service ready')
    if (isLog) return
    const greeted = { ...service, environment, signInLink: await service.signInLink() }
    out.write(`${greeting(greeted, config).join('\n')}\n`)
  } catch (error) {
    grace.uninstall()
    throw error
  }
}
