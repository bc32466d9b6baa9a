/** The evidence of a container about its bot. */
import { constants as osConstants } from 'node:os'
import { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type Docker from 'dockerode'
import type { EndEvidence, LaunchState } from '../../../ports.ts'
import { Tail } from '../shared/log-tail.ts'

/** A container is started right after it was made. After this time its launcher is gone. */
export const FIRST_STEPS_MS = 60_000
/** More than 64 KiB in most logs; the engine knows lines only. */
const LOG_LINES = 5_000
const LOG_MS = 20_000

/** `created`: made, and not started yet. `abandoned`: made, and its launcher is gone. */
export type ContainerState = 'running' | 'ended' | 'created' | 'abandoned' | 'going'

export function stateOf({ State, Created }: Docker.ContainerInspectInfo): ContainerState {
  switch (State.Status) {
    case 'exited':
    case 'dead':
      return 'ended'
    case 'created':
      return Date.now() - Date.parse(Created) < FIRST_STEPS_MS ? 'created' : 'abandoned'
    case 'removing':
      return 'going'
    default:
      return 'running'
  }
}

export async function endedState(
  container: Docker.Container,
  { State }: Docker.ContainerInspectInfo,
  wasOurs: boolean,
): Promise<LaunchState> {
  const { ExitCode: code, OOMKilled: isOutOfMemory } = State
  const signal = code > 128 ? (signalName(code - 128) ?? null) : null
  const endedAt = new Date(State.FinishedAt)
  const evidence: EndEvidence = {
    exitCode: signal === null ? code : null,
    signal,
    // Beside any code: the kernel mostly takes a page of the browser, and the bot ends with its own code.
    isOutOfMemory,
    reason: reasonOf({ code, signal, isOutOfMemory, wasOurs, error: State.Error }),
    // The engine writes the year 1 where there is no time.
    endedAt: endedAt.getUTCFullYear() > 1970 ? endedAt : null,
    logTail: await logTail(container),
  }
  return { state: 'ended', evidence }
}

export function neverStarted(): LaunchState {
  const reason = 'The bot was never started: the service ended before'
  return {
    state: 'ended',
    evidence: { exitCode: null, signal: null, isOutOfMemory: false, reason, endedAt: null, logTail: null },
  }
}

function reasonOf(known: {
  code: number
  signal: string | null
  isOutOfMemory: boolean
  wasOurs: boolean
  error: string
}): string {
  const { code, signal, isOutOfMemory, wasOurs, error } = known
  const how = signal === null ? `The bot ended with code ${code}` : `The bot was ended by ${signal}`
  if (isOutOfMemory) return `${how}, after the kernel killed a process of it for lack of memory`
  if (signal === 'SIGKILL') return wasOurs ? 'The service killed the bot' : 'The bot was killed'
  return error === '' ? how : `${how}: ${error.slice(0, 500)}`
}

function signalName(number: number): string | undefined {
  return Object.entries(osConstants.signals).find(([, value]) => value === number)?.[0]
}

/** Both outputs in the order of the engine. Null where the log cannot be read: the exit code is worth more than its text. */
async function logTail(container: Docker.Container): Promise<string | null> {
  const tail = new Tail()
  try {
    const signal = AbortSignal.timeout(LOG_MS)
    const log = await container.logs({ follow: true, stdout: true, stderr: true, tail: LOG_LINES, abortSignal: signal })
    const sink = new Writable({
      write(chunk: Buffer, _encoding, done) {
        tail.add(chunk)
        done()
      },
    })
    container.modem.demuxStream(log, sink, sink)
    await finished(log as NodeJS.ReadableStream, { signal, writable: false })
  } catch {
    if (tail.text() === '') return null
  }
  return tail.text()
}
