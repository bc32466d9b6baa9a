/**
 * Recognition of speech on the service's machine: one process for all of its bots, which speak to it as to every service
 * of `Default`. Bots outlive the service, so its address and its key stay the same from start to start.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { backoff } from '@standin/wire/time/backoff.ts'
import type { Log } from '../../platform/ports.ts'
import type { ServiceConfig } from '../config/config.ts'
import type { Closing } from './closing.ts'
import { writeSecretFile } from './data-folder.ts'
import { freePort } from './http-address.ts'
import { hasSpeechModel, standinCommand } from './installed-file.ts'
import type { Environment } from './launcher.ts'

const HOST = '127.0.0.1'
const RESTART = { first: 1_000, max: 60_000, factor: 2, jitter: 0.2 }
/** A process that ran so long has not failed to start. */
const STEADY_MS = 60_000

export interface Speech {
  /** The variables by which bots find it. */
  environment: Environment
  /** Starts it if it does not run: the first bot whose transcript needs it is about to start. */
  wake(): void
}

/**
 * Null: bots are not processes of this machine, there is no model, the operator named a service, or switched it off. Nothing
 * runs until it is woken, since a loaded model takes more memory than the service.
 */
export async function openSpeech(
  config: ServiceConfig,
  environment: Environment,
  { log, closing }: { log: Log; closing: Closing },
): Promise<Speech | null> {
  const { roles, launcher, dataFolder, recognizesSpeech } = config
  const isHere = launcher === 'process' && roles.has('launcher') && !environment.STANDIN_TRANSCRIPTION_URL
  if (!isHere || !recognizesSpeech || !haveModel(config, environment)) return null
  const { port, key } = await placeOf(join(dataFolder, 'speech'))
  const over = new AbortController()
  let child: ChildProcess | null = null
  let watching: Promise<void> | null = null
  const watch = async () => {
    for (let failures = 0; !over.signal.aborted; failures++) {
      const began = Date.now()
      child = start(port, { ...environment, STANDIN_TRANSCRIPTION_KEY: key })
      const reason = await endOf(child)
      if (over.signal.aborted) return
      if (Date.now() - began > STEADY_MS) failures = 0
      log.warn({ error: reason }, 'The speech process ended and is started again')
      await delay(backoff(RESTART, failures + 1), undefined, { signal: over.signal }).catch(() => {})
    }
  }
  closing.add('speech', async () => {
    over.abort()
    child?.kill('SIGTERM')
    await watching
  })
  return {
    environment: {
      STANDIN_TRANSCRIPTION_URL: `http://${HOST}:${port}/v1`,
      STANDIN_TRANSCRIPTION_LIVE_URL: `ws://${HOST}:${port}/v1/realtime`,
      STANDIN_TRANSCRIPTION_KEY: key,
      // A model of the operator may know others.
      ...(!environment.STANDIN_SPEECH_MODEL && { STANDIN_TRANSCRIPTION_LANGUAGES: 'en' }),
    },
    wake() {
      watching ??= watch()
    },
  }
}

/** Whether bots have a model of speech: that of their image, or of this machine unless the operator switched it off. */
export function haveModel(
  { launcher, recognizesSpeech }: ServiceConfig,
  { STANDIN_SPEECH_MODEL }: Environment,
): boolean {
  return Boolean(STANDIN_SPEECH_MODEL) || (launcher === 'process' && recognizesSpeech && hasSpeechModel())
}

function start(port: number, { PATH, HOME, STANDIN_SPEECH_MODEL, STANDIN_SPEECH_ENGINE, ...rest }: Environment) {
  const [program = '', ...words] = standinCommand('speech')
  const { STANDIN_TRANSCRIPTION_KEY } = rest
  return spawn(program, [...words, '--json', '--host', HOST, '--port', String(port)], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH, HOME, STANDIN_SPEECH_MODEL, STANDIN_SPEECH_ENGINE, STANDIN_TRANSCRIPTION_KEY },
  })
}

/** Resolves with its last words. */
function endOf(child: ChildProcess): Promise<string> {
  let said = ''
  child.stderr!.on('data', (data: Buffer) => {
    said = `${said}${data}`.slice(-500)
  })
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code, signal) => resolve(said.trim() || `it ended with ${signal ?? code}`))
  })
}

async function placeOf(file: string): Promise<{ port: number; key: string }> {
  const [port, key] = (await readFile(file, 'utf8').catch(() => '')).trim().split(' ')
  if (Number(port) > 0 && key) return { port: Number(port), key }
  const place = { port: await freePort(HOST), key: randomBytes(24).toString('base64url') }
  await writeSecretFile(file, `${place.port} ${place.key}`)
  return place
}
