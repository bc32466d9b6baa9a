import { homedir } from 'node:os'
import { join as joinPath, resolve } from 'node:path'
import { canRedraw, type Io } from '@standin/wire/process/command-io.ts'
import { CommandMistake } from '@standin/wire/process/command-output.ts'
import { containerEngine } from '@standin/wire/process/container.ts'
import { type BotConfig, InvalidJob, readConfig } from '../job/config.ts'
import { type OpenView, runConfig } from '../main.ts'
import { downloadedJob, inTypedWords, jobFrom, jobPlaceOf, typedFields } from './job-options.ts'
import type { JoinOptions } from './join-options.ts'
import { terminalView } from './terminal-view.ts'
import { jsonLinesView } from './view.ts'

export interface JoinFlags extends JoinOptions {
  mapHost?: string[]
  jitsiHost?: string[]
  words?: string
  json?: boolean
}

/** `standin join`: one bot, one meeting. Resolves with the exit code; throws InvalidJob. */
export async function join(meetingUrl: string | undefined, flags: JoinFlags, io: Io): Promise<number> {
  if (meetingUrl === undefined && jobPlaceOf(flags, io.environment) === null)
    throw new CommandMistake('The link of the meeting is missing: standin join <meeting link> (standin help join)')
  const downloaded = await downloadedJob(flags, io.environment)
  const job = jobFrom(meetingUrl, flags, io.environment, undefined, downloaded)
  const settings = {
    job,
    hostMap: flags.mapHost ?? [],
    jitsiHosts: flags.jitsiHost ?? [],
    words: flags.words,
    environment: io.environment,
    typed: typedFields(flags),
  }
  try {
    const config = readConfig(settings)
    await io.leaveRoot?.({ folder: config.workFolder, reads: ownFilesOf(config, io.environment) })
    return await runConfig(config, viewOpener(io, flags.json ?? false))
  } catch (error) {
    throw error instanceof InvalidJob ? new InvalidJob(inTypedWords(error.problems, flags)) : error
  }
}

/** Files of this machine that the bot reads after its job. */
function ownFilesOf(
  { job: { browser_state: session, storage }, words, speakers }: BotConfig,
  environment: Io['environment'],
) {
  const usesKeysOfHome = storage.type === 's3' && !storage.access_key_id && !environment.AWS_ACCESS_KEY_ID
  const keys = [
    environment.AWS_SHARED_CREDENTIALS_FILE ?? joinPath(homedir(), '.aws/credentials'),
    environment.AWS_CONFIG_FILE ?? joinPath(homedir(), '.aws/config'),
  ]
  const files = [session && !/^s3:/i.test(session) ? session : null, words, speakers, ...(usesKeysOfHome ? keys : [])]
  return files.flatMap((file) => (file ? [resolve(file)] : []))
}

/** Live progress in a terminal; JSON lines where a program reads. */
function viewOpener(io: Io, asJson: boolean): OpenView {
  if (asJson || !io.output.isTTY || !io.input.isTTY) return () => jsonLinesView(io.output, io.errors)
  const surroundings = {
    redraws: canRedraw(io.output, io.environment),
    isContainer: containerEngine(io.environment) !== null,
  }
  return (actions) => terminalView(io.input, io.output, actions, surroundings)
}
