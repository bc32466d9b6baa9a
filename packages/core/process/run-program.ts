/** Programs that run to their end and print a result, such as ffprobe. */
import { CHILD_PATH } from '@standin/wire/process/child-path.ts'
import { supervise } from './supervised.ts'

const ENVIRONMENT = { PATH: CHILD_PATH, LC_ALL: 'C' }
/** For a killed program to be gone. */
const STOP_MS = 5_000

/** Resolves with what it printed on its output (1) or error output (2). It ends with this process, and with the signal. */
export async function runProgram(
  command: string,
  args: readonly string[],
  signal: AbortSignal,
  output: 1 | 2 = 1,
): Promise<string> {
  signal.throwIfAborted()
  const lines: string[] = []
  const printed: Buffer[] = []
  const child = await supervise({
    ...{ name: command, command, args, env: ENVIRONMENT },
    // Lines are cut; what a program prints may be one long one.
    binaryStdout: output === 1,
    lines: { 2: (line: string) => void lines.push(line) },
    // Its output is discarded when it is stopped, so it need not end gracefully.
    stopSteps: [{ ask: 'SIGKILL', deadlineMs: STOP_MS }],
  })
  child.stdout?.on('data', (bytes: Buffer) => void printed.push(bytes))
  const stop = () => void child.stop()
  signal.addEventListener('abort', stop, { once: true })
  try {
    // It may have been aborted while the child was started.
    if (signal.aborted) stop()
    const { exitCode, text } = await child.ended
    signal.throwIfAborted()
    if (exitCode !== 0) throw new Error(text)
    return output === 1 ? Buffer.concat(printed).toString().trimEnd() : lines.join('\n')
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
