/** A command that asks a running service: its options, its client, and its exit codes. */

import type { StandinApiError, StandinClient } from '@standin/client/index.ts'
import type { Io } from '@standin/wire/process/command-io.ts'
import { CommandMistake, createOutput, type Output } from '@standin/wire/process/command-output.ts'
import type { Command } from 'commander'
import { shownText } from '../shown-text.ts'
import type { ServiceFlags } from './service.ts'

const EXIT_REFUSED = 1

interface Context<Flags> {
  client: StandinClient['v2']
  flags: Flags & ServiceFlags
  output: Output
  /** Aborted by Ctrl-C. */
  signal: AbortSignal
}

interface Surroundings {
  io: Io
  /** Takes the exit code. */
  end(exitCode: number): void
}

export function addServiceCommand(program: Command, { io, end }: Surroundings, name: string, description: string) {
  const command = program
    .command(name)
    .description(description)
    .optionsGroup('Service:')
    .option('--url <address>', 'of the service (default: STANDIN_URL, or the service that was started in this folder)')
    .option('--key-file <file>', 'file with an API key (default: STANDIN_API_KEY, or api-key of the data folder)')
    .optionsGroup('Output:')
    .option('--json', 'answers in JSON')
    .option('-q, --quiet', 'only what a script needs: an id, the end, a folder')

  /** Runs the work with a client of the service, and ends with its exit code. */
  const act =
    <Args extends unknown[], Flags>(work: (context: Context<Flags>, ...args: Args) => Promise<number | undefined>) =>
    async (...all: [...Args, Flags, Command]) => {
      const flags = (all.at(-1) as Command).optsWithGlobals<Flags & ServiceFlags>()
      const stop = new AbortController()
      const onSignal = () => stop.abort(new Error('It was interrupted'))
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, onSignal)
      try {
        const { openService } = await import('./service.ts')
        const client = openService(flags, io.environment, stop.signal)
        const output = createOutput(io.output, flags.json ?? false)
        const args = all.slice(0, -2) as unknown[] as Args
        end((await work({ client, flags, output, signal: stop.signal }, ...args)) ?? 0)
      } catch (error) {
        if (!(error instanceof Error) || error instanceof CommandMistake) throw error
        io.errors.write(`standin ${name}: ${explained(error)}\n`)
        end(stop.signal.aborted ? 130 : EXIT_REFUSED)
      } finally {
        for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, onSignal)
      }
    }
  return { command, act }
}

function explained(error: Error): string {
  const { status, code, message } = error as Partial<StandinApiError> & Error
  if (status === 401) return `The service does not accept the API key (${code})`
  return `${shownText(message.replace(/^body\/(\S+) /, '$1: '), 500)}${code && !message.includes(code) ? ` (${code})` : ''}`
}
