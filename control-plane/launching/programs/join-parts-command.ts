/** `standin join-parts` as a process, which makes one recording of those of several attempts. */
import type { Job } from '@standin/wire/job.ts'
import { botEnvironment } from '../launchers/process/bot-environment.ts'
import type { JoinParts } from '../reconcile/assemble.ts'
import { keysOf, linesOf, type RecoverCommandSettings, runCommand } from './recover-command.ts'

export function createJoinPartsCommand({ command, environment }: RecoverCommandSettings): JoinParts {
  const [program, ...start] = command
  if (program === undefined) throw new Error('The command that joins parts is empty')

  return async ({ botId, from, to, beganAt }, signal) => {
    signal?.throwIfAborted()
    const options = [
      ...start,
      ...['--bot-id', botId, '--to', addressOf(to)],
      ...from.flatMap((part) => ['--part', addressOf(part)]),
      ...(beganAt === null ? [] : ['--began-at', beganAt.toISOString()]),
      ...(to.type === 's3' && to.endpoint !== undefined ? ['--s3-endpoint', to.endpoint] : []),
      ...(to.type === 's3' && to.region !== undefined ? ['--s3-region', to.region] : []),
      '--json',
    ]
    const env = { ...botEnvironment(environment, to), ...keysOf(to) }
    const { output, errors, failure } = await runCommand('join-parts', { program, options, env }, signal)
    signal?.throwIfAborted()
    if (failure !== null) throw new Error(`${failure} ${errors.slice(-2000)}`.trim())
    const files = linesOf(output).filter((line) => typeof line.name === 'string')
    return { files: files.map(({ name, seconds }) => ({ name, seconds: seconds ?? null })) as never }
  }
}

/** The folder or prefix that contains the recording's own folder, in the form that the worker reads. */
function addressOf(storage: Job['storage']): string {
  return storage.type === 'folder' ? storage.path : `s3://${storage.bucket}/${storage.prefix}`
}
