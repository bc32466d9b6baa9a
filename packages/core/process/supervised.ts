import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { systemClock, within } from '@standin/wire/time/deadline.ts'
import { activeMs, WORKING_SHARE } from './scheduled-time.ts'

/** How a child process ended: `closed` because we asked for it, `died` without being asked. */
export interface Ending {
  how: 'closed' | 'died'
  exitCode: number | null
  signal: NodeJS.Signals | null
  /** One sentence for a log or an error, with the last output of the process. */
  text: string
}

/** One rung of the way down: ask, then wait this long before the next. The last rung is always SIGKILL to the group. */
export interface StopStep {
  ask: NodeJS.Signals | ((child: Supervised) => void)
  deadlineMs: number
  /** As long as the process works or waits for a processor, it gets so many milliseconds in all. Default: no more. */
  workingMs?: number
}

export interface SupervisedOptions {
  /** For logs and errors, such as `display server`. */
  name: string
  command: string
  args: readonly string[]
  /** The complete environment of the child. It does not inherit ours, which may hold secrets. */
  env: Readonly<Record<string, string>>
  cwd?: string
  /**
   * File descriptors the child gets as pipes besides 0, 1 and 2; `lines` reads those that carry text. Descriptor 0 is a
   * pipe only with `stdin`, and closed otherwise.
   */
  stdin?: boolean
  extraPipes?: number
  /**
   * Hears each line of the descriptor with that number. Lines of 1 and 2 are kept as recent output too, except those for
   * which the listener returns false: they explain no death.
   */
  lines?: Readonly<Record<number, (line: string) => unknown>>
  /** True if descriptor 1 carries bytes that the caller reads from `stdout`. */
  binaryStdout?: boolean
  /** Resolves when the child does its work; the child is killed when that takes longer than the deadline. */
  ready?: (child: Supervised) => Promise<void>
  readyDeadlineMs?: number
  /** Gives up waiting for readiness; afterwards it means nothing. */
  signal?: AbortSignal
  stopSteps?: readonly StopStep[]
}

export interface Supervised {
  readonly name: string
  readonly pid: number
  readonly stdin: Writable | null
  readonly stdout: Readable | null
  /** Resolves once the process is gone and its output was read; never rejects. */
  readonly ended: Promise<Ending>
  /** The same, for a glance; null while it runs. */
  ending(): Ending | null
  /** Lines on standard output and standard error, newest last. */
  recentOutput(): string[]
  signal(signal: NodeJS.Signals): void
  /** Goes down the ladder until the process is gone. Repeatable, never rejects. */
  stop(): Promise<Ending>
}

const DEFAULT_READY_DEADLINE_MS = 15_000
const DEFAULT_STOP_STEPS: readonly StopStep[] = [{ ask: 'SIGTERM', deadlineMs: 3_000 }]
/** A killed process that remains is stuck in the kernel; waiting does not help. */
const KILL_DEADLINE_MS = 5_000
/** After the exit, how long to wait for output that a grandchild may hold open. */
const DRAIN_DEADLINE_MS = 1_000
const RECENT_LINES = 60
/** A line longer than this is cut, so that a process that never ends its line cannot fill the memory. */
const MAX_LINE = 4_000

/**
 * Starts a child process in its own process group, so that Ctrl-C at the terminal does not reach it. `setpriv
 * --pdeathsig` ties it to this process, so that it does not outlive even a SIGKILL (call from the main thread: the
 * kernel ties it to the thread that starts it). Resolves when it is ready; rejects when it ends first or is late, after
 * its whole group was killed.
 */
export async function supervise(options: SupervisedOptions): Promise<Supervised> {
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', options.command, ...options.args], {
    env: { ...options.env },
    cwd: options.cwd,
    detached: true,
    stdio: [options.stdin ? 'pipe' : 'ignore', 'pipe', 'pipe', ...Array<'pipe'>(options.extraPipes ?? 0).fill('pipe')],
  })
  const recent: string[] = []
  readLines(child, options, recent)
  const supervised = watch(child, options, recent)

  if (options.ready === undefined) return supervised
  const deadlineMs = options.readyDeadlineMs ?? DEFAULT_READY_DEADLINE_MS
  const abort = Promise.withResolvers<never>()
  const onAbort = () => abort.reject(options.signal?.reason)
  options.signal?.addEventListener('abort', onAbort)
  try {
    options.signal?.throwIfAborted()
    const gone = supervised.ended.then((ending) => Promise.reject(new Error(ending.text)))
    const ready = Promise.race([options.ready(supervised), gone, abort.promise])
    const late = () => new Error(`The ${options.name} was not ready within ${deadlineMs / 1000} s${lastWords(recent)}`)
    await within(systemClock, deadlineMs, ready, late)
    return supervised
  } catch (error) {
    await supervised.stop()
    throw error
  } finally {
    options.signal?.removeEventListener('abort', onAbort)
  }
}

function watch(child: ChildProcess, options: SupervisedOptions, recent: string[]): Supervised {
  let isAsked = false
  let isGone = false
  let ending: Ending | null = null
  let stopping: Promise<Ending> | null = null

  const ended = new Promise<Ending>((resolve) => {
    const settle = (text: string, exitCode: number | null, signal: NodeJS.Signals | null) => {
      if (ending !== null) return
      ending = { how: isAsked ? 'closed' : 'died', exitCode, signal, text }
      resolve(ending)
    }
    child.on('error', (error) => {
      // Without a pid nothing was started; a later error is about a signal and the exit still comes.
      if (child.pid === undefined) settle(`The ${options.name} could not be started: ${error.message}`, null, null)
    })
    child.on('exit', (exitCode, signal) => {
      isGone = true
      // Children of the child go with it; they would hold its pipes and its work otherwise.
      killGroup(child, 'SIGKILL')
      const end = () => settle(describe(options.name, isAsked, exitCode, signal, recent), exitCode, signal)
      const drain = setTimeout(end, DRAIN_DEADLINE_MS)
      child.on('close', () => {
        clearTimeout(drain)
        end()
      })
    })
  })

  const supervised: Supervised = {
    name: options.name,
    pid: child.pid ?? 0,
    stdin: child.stdin,
    stdout: child.stdout,
    ended,
    ending: () => ending,
    recentOutput: () => [...recent],
    signal(signal) {
      if (!isGone) child.kill(signal)
    },
    stop() {
      stopping ??= descend()
      return stopping
    },
  }

  async function descend(): Promise<Ending> {
    if (isGone || ending !== null) return ended
    isAsked = true
    for (const step of options.stopSteps ?? DEFAULT_STOP_STEPS) {
      const { ask } = step
      try {
        if (typeof ask === 'string') supervised.signal(ask)
        else ask(supervised)
      } catch {
        // A request that cannot be made, such as a word to a closed pipe, is an unanswered one: next rung.
      }
      if (await endsAfter(step)) return ended
    }
    killGroup(child, 'SIGKILL')
    if (!(await endsWithin(ended, KILL_DEADLINE_MS))) {
      return { how: 'closed', exitCode: null, signal: 'SIGKILL', text: `The ${options.name} does not obey SIGKILL` }
    }
    return ended
  }

  async function endsAfter({ deadlineMs, workingMs = 0 }: StopStep): Promise<boolean> {
    for (let waitedMs = deadlineMs; ; waitedMs += deadlineMs) {
      const before = await activeMs(supervised.pid)
      if (await endsWithin(ended, deadlineMs)) return true
      const isWorking = (await activeMs(supervised.pid)) - before >= deadlineMs * WORKING_SHARE
      if (!isWorking || waitedMs >= workingMs) return false
    }
  }

  return supervised
}

function readLines(child: ChildProcess, options: SupervisedOptions, recent: string[]): void {
  child.stdio.forEach((stream, descriptor) => {
    // A pipe of an exiting process may fail at any time; its exit explains the failure.
    stream?.on('error', () => {})
    if (!stream || descriptor === 0 || (descriptor === 1 && options.binaryStdout)) return
    const listener = options.lines?.[descriptor]
    const split = createLineSplitter((line) => {
      const isKept = listener?.(line) !== false
      if (descriptor > 2 || !isKept) return
      recent.push(line)
      if (recent.length > RECENT_LINES) recent.shift()
    })
    stream.on('data', split.push)
    stream.on('end', split.end)
  })
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, signal)
  } catch {
    // The group has no process left.
  }
}

async function endsWithin(ended: Promise<Ending>, deadlineMs: number): Promise<boolean> {
  return within(systemClock, deadlineMs, ended, () => new Error('It did not end in time')).then(
    () => true,
    () => false,
  )
}

function describe(
  name: string,
  isAsked: boolean,
  exitCode: number | null,
  signal: NodeJS.Signals | null,
  recent: readonly string[],
): string {
  const how = signal === null ? `exit code ${exitCode}` : signal
  if (isAsked) return `The ${name} was stopped (${how})`
  // A kill by the kernel has no message of the process, so this one explains it.
  return `The ${name} died (${how})${signal === 'SIGKILL' ? '' : lastWords(recent)}`
}

function lastWords(recent: readonly string[]): string {
  return recent.length === 0 ? '' : `: ${recent.slice(-3).join(' | ')}`
}

/** Cuts a stream of bytes into lines, ended by a line feed, a carriage return or both; empty lines are left out. */
function createLineSplitter(onLine: (line: string) => void): {
  push: (chunk: Buffer | string) => void
  end: () => void
} {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  const addOutput = (text: string) => {
    const parts = (rest + text).split(/[\r\n]+/)
    rest = (parts.pop() ?? '').slice(0, MAX_LINE)
    for (const part of parts) if (part !== '') onLine(part.slice(0, MAX_LINE))
  }
  return {
    push: (chunk) => addOutput(typeof chunk === 'string' ? chunk : decoder.write(chunk)),
    end: () => addOutput(`${decoder.end()}\n`),
  }
}
