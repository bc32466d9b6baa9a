/** The speech server of a bot that has no service: a child process, from the first use until the bot ends. */
import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { extname, join } from 'node:path'
import { CHILD_PATH } from '@standin/wire/process/child-path.ts'

export interface LocalSpeech {
  /** Such as `http://127.0.0.1:4123/v1`. */
  url: string
  key: string
}

const PROCESS = join(import.meta.dirname, `server-process${extname(import.meta.filename)}`)

/** Starts the server at the first call, and again after it ended. Rejects with a sentence for the operator. */
export function localSpeech(options: { engine: string; models: string }): () => Promise<LocalSpeech> {
  let running: Promise<LocalSpeech> | null = null
  return () => {
    running ??= start(options, () => {
      running = null
    })
    return running
  }
}

function start({ engine, models }: { engine: string; models: string }, onEnd: () => void): Promise<LocalSpeech> {
  const key = randomBytes(24).toString('base64url')
  const started = Promise.withResolvers<LocalSpeech>()
  const child: ChildProcess = fork(PROCESS, [], {
    // It does not inherit our environment, which may hold secrets.
    env: { PATH: CHILD_PATH, LC_ALL: 'C.UTF-8' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  child.send({ engine, models, key })
  child.once('message', ({ url, problem }: { url?: string; problem?: string }) => {
    if (url === undefined) return started.reject(new Error(problem))
    // The bot does not wait for it; it ends when the bot has ended.
    child.unref()
    child.channel?.unref()
    started.resolve({ url, key })
  })
  child.once('error', started.reject)
  child.once('exit', (code, signal) => {
    started.reject(new Error(`The speech server ended (${signal ?? code}).`))
    onEnd()
  })
  return started.promise
}
