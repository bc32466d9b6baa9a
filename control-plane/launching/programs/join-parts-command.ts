/** `standin join-parts` as a process, which makes one recording of those of several attempts. */
import { chown, lstat, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Job } from '@standin/wire/job.ts'
import type { JoinParts } from '../reconcile/assemble.ts'
import { endpointOf, linesOf, type MediaLine, type RecoverCommandSettings, runCommand } from './recover-command.ts'

export function createJoinPartsCommand({ command, environment }: RecoverCommandSettings): JoinParts {
  return async ({ botId, from, to, beganAt }, signal) => {
    const options = [
      ...['--bot-id', botId, '--to', addressOf(to)],
      ...from.flatMap((part) => ['--part', addressOf(part)]),
      ...(beganAt === null ? [] : ['--began-at', beganAt.toISOString()]),
      ...endpointOf(to),
    ]
    const run = { command, options, environment, storage: to, owner: await handOver(botId, from, to) }
    const { output, errors, failure } = await runCommand('join-parts', run, signal)
    if (failure !== null) throw new Error(`${failure} ${errors.slice(-2000)}`.trim())
    const files = linesOf(output).filter((line): line is MediaLine => typeof line.name === 'string')
    return { files: files.map(({ name, seconds = null }) => ({ name, seconds })) }
  }
}

/** Owner of the parts' folders, who gets the folder of the whole; null in S3. */
async function handOver(botId: string, from: readonly Job['storage'][], to: Job['storage']) {
  const [first] = from
  if (first?.type !== 'folder' || to.type !== 'folder') return null
  const owner = await lstat(join(first.path, botId)).catch(() => null)
  if (owner === null || process.geteuid?.() !== 0) return null
  await mkdir(to.path, { recursive: true, mode: 0o700 })
  await chown(to.path, owner.uid, owner.gid)
  return owner
}

/** The folder or prefix that contains the recording's own folder, in the form that the worker reads. */
function addressOf(storage: Job['storage']): string {
  return storage.type === 'folder' ? storage.path : `s3://${storage.bucket}/${storage.prefix}`
}
