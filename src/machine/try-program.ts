import { spawn } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { join } from 'node:path'
import { type BotUserChoice, chooseBotUser, type RootSettings, weaknessOf } from '@standin/wire/process/bot-user.ts'
import { sandboxObstacle } from '@standin/wire/process/chromium-sandbox.ts'

export interface Trial {
  exitCode: number | null
  signal: NodeJS.Signals | null
  output: string
  /** It was killed because it took too long. */
  isLate: boolean
  /** `until` was met, and it was killed for that. */
  isReached: boolean
}

interface TrialOptions {
  command: string
  args: readonly string[]
  env: Readonly<Record<string, string>>
  deadlineMs: number
  /** For programs that run on: asked with all output so far, on each new piece of it and every 50 ms. */
  until?: (output: string) => boolean
}

/** How the doctor finds programs and makes them work. */
export interface Programs {
  find(name: string, searchPath: string): Promise<string | null>
  run(options: TrialOptions): Promise<Trial>
  sandboxObstacle(): Promise<string | null>
  /** Who bots run as, with all that weakens them. Rejects as `chooseBotUser`. */
  botUser(settings: RootSettings): Promise<BotUserChoice>
}

const ASK_INTERVAL_MS = 50
/** Of a program that talks without end. */
const MAX_OUTPUT = 1 << 20

/**
 * Runs a program in its own process group until it ends, reaches the awaited state, or is late; then the whole group is
 * killed. Does not use setpriv, which is one of the parts that may be missing. Never rejects.
 */
async function tryProgram(options: TrialOptions): Promise<Trial> {
  const trial: Trial = { exitCode: null, signal: null, output: '', isLate: false, isReached: false }
  const child = spawn(options.command, options.args, {
    env: { ...options.env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const killGroup = () => {
    if (child.pid === undefined) return
    try {
      process.kill(-child.pid, 'SIGKILL')
    } catch {
      // The group has no process left.
    }
  }
  const ask = () => {
    if (trial.isReached || !options.until?.(trial.output)) return
    trial.isReached = true
    killGroup()
  }
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      trial.output = (trial.output + text).slice(0, MAX_OUTPUT)
      ask()
    })
  }
  const asking = setInterval(ask, ASK_INTERVAL_MS)
  const timer = setTimeout(() => {
    trial.isLate = !trial.isReached
    killGroup()
  }, options.deadlineMs)
  await new Promise<void>((resolve) => {
    child.on('error', (error) => {
      trial.output += error.message
      resolve()
    })
    child.on('exit', (exitCode, signal) => {
      trial.exitCode = exitCode
      trial.signal = signal
      // Children of the child go with it; they would hold its pipes open otherwise.
      killGroup()
    })
    child.on('close', () => resolve())
  })
  clearInterval(asking)
  clearTimeout(timer)
  return trial
}

/** The program's path, if the bot would find it; null if there is none. */
async function findProgram(name: string, searchPath: string): Promise<string | null> {
  const places = name.includes('/') ? [name] : searchPath.split(':').map((folder) => join(folder, name))
  for (const place of places) {
    const isProgram = await access(place, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (isProgram) return place
  }
  return null
}

async function botUser(settings: RootSettings): Promise<BotUserChoice> {
  const choice = await chooseBotUser(settings, [process.cwd()], async () => {})
  return { ...choice, weakness: await weaknessOf(choice) }
}

export const realPrograms: Programs = { find: findProgram, run: tryProgram, sandboxObstacle, botUser }
