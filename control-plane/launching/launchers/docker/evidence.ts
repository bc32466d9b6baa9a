/** The evidence of a container about its bot. */
import { finished } from 'node:stream/promises'
import type Docker from 'dockerode'
import type { EndEvidence, LaunchState } from '../../../platform/ports.ts'
import { exitOf, knownTime, outOfMemory } from '../shared/evidence.ts'
import { Tail } from '../shared/log-tail.ts'

/** A container is started right after it was made. After this time its launcher is gone. */
const FIRST_STEPS_MS = 60_000
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
  const { OOMKilled: isOutOfMemory } = State
  const { exitCode, signal, how } = exitOf(State.ExitCode)
  const evidence: EndEvidence = {
    exitCode,
    signal,
    // Beside any code: the kernel mostly takes a page of the browser, and the bot ends with its own code.
    isOutOfMemory,
    reason: reasonOf({ how, signal, isOutOfMemory, wasOurs, error: State.Error }),
    endedAt: knownTime(new Date(State.FinishedAt)),
    logTail: await logTail(container),
  }
  return { state: 'ended', evidence }
}

function reasonOf(known: {
  how: string
  signal: string | null
  isOutOfMemory: boolean
  wasOurs: boolean
  error: string
}): string {
  const { how, signal, isOutOfMemory, wasOurs, error } = known
  if (isOutOfMemory) return outOfMemory(how)
  if (signal === 'SIGKILL') return wasOurs ? 'The service killed the bot' : 'The bot was killed'
  return error === '' ? how : `${how}: ${error.slice(0, 500)}`
}

/** Both outputs in the order of the engine. Null if the log cannot be read: the exit code is worth more than its text. */
async function logTail(container: Docker.Container): Promise<string | null> {
  const tail = new Tail()
  try {
    const signal = AbortSignal.timeout(LOG_MS)
    const log = await container.logs({ follow: true, stdout: true, stderr: true, tail: LOG_LINES, abortSignal: signal })
    const sink = tail.sink()
    container.modem.demuxStream(log, sink, sink)
    await finished(log as NodeJS.ReadableStream, { signal, writable: false })
  } catch {
    if (tail.text() === '') return null
  }
  return tail.text()
}
