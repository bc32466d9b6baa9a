import { supervise } from '../src/supervised.ts'
import { childEnvironment } from './settings.ts'

/**
 * Runs a program that ends by itself and gives what it printed. Rejects when it fails or is not done in time; it is
 * killed then.
 */
export async function runTool(options: {
  name: string
  command: string
  args: readonly string[]
  folder: string
  deadlineMs: number
}): Promise<string> {
  const printed: string[] = []
  const child = await supervise({
    name: options.name,
    command: options.command,
    args: options.args,
    env: childEnvironment(options.folder),
    lines: { 1: (line) => printed.push(line) },
  })
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    void child.stop()
  }, options.deadlineMs)
  const ending = await child.ended
  clearTimeout(timer)
  if (isLate) throw new Error(`${options.name}: not done within ${options.deadlineMs / 1000} s`)
  if (ending.exitCode !== 0) {
    throw new Error(
      `${options.name} failed with ${ending.exitCode ?? ending.signal}: ${child.recentOutput().slice(-4).join(' | ')}`,
    )
  }
  return printed.join('\n')
}
