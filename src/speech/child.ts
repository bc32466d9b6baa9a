/** The speech server of a bot that has no service: a child process, from the first use until the bot ends. */
import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { extname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { CHILD_PATH } from '@standin/wire/process/child-path.ts'
import { ProviderError } from '../transcription/providers/provider-error.ts'

export interface LocalSpeech {
  /** Such as `http://127.0.0.1:4123/v1`. */
  url: string
  key: string
}

const PROCESS = join(import.meta.dirname, `server-process${extname(import.meta.filename)}`)
/** Between the end of a server that answered and its next start. */
const PAUSE_MS = 500

/**
 * Starts the server at the first call. One that ends is started again at the same address, so that what was asked of it can be
 * asked again. Rejects with a ProviderError.
 */
export function localSpeech(options: { engine: string; models: string }): () => Promise<LocalSpeech> {
  const key = randomBytes(24).toString('base64url')
  let port = 0
  let running: Promise<LocalSpeech> | null = null
  const open = async (): Promise<LocalSpeech> => {
    try {
      const { url, ended } = await start({ ...options, port, key })
      port = Number(new URL(url).port)
      void ended.then(() => {
        running = delay(PAUSE_MS, undefined, { ref: false }).then(open)
        running.catch(() => {})
      })
      return { url, key }
    } catch (error) {
      running = null
      // Another program may have taken it.
      port = 0
      throw error
    }
  }
  return () => {
    running ??= open()
    return running
  }
}

interface Started {
  url: string
  ended: Promise<void>
}

function start(options: { engine: string; models: string; port: number; key: string }): Promise<Started> {
  const started = Promise.withResolvers<Started>()
  const ended = Promise.withResolvers<void>()
  const child: ChildProcess = fork(PROCESS, [], {
    // It does not inherit our environment, which may hold secrets.
    env: { PATH: CHILD_PATH, LC_ALL: 'C.UTF-8' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const fail = (message: string, isTransient = true) => started.reject(new ProviderError(message, { isTransient }))
  child.send(options)
  child.once('message', (answer: { url: string } | { problem: string; isTransient: boolean }) => {
    if ('problem' in answer) return fail(answer.problem, answer.isTransient)
    // The bot does not wait for it; it ends when the bot has ended.
    child.unref()
    child.channel?.unref()
    started.resolve({ url: answer.url, ended: ended.promise })
  })
  child.once('error', ({ message }) => fail(`The speech server could not be started: ${message}`))
  child.once('exit', (code, signal) => {
    fail(`The speech server ended (${signal ?? code}).`)
    ended.resolve()
  })
  return started.promise
}
